import { type Fault, pick } from './fault.ts';

export const killAgent: Fault = {
  kind: 'agent killed',
  kills: true,
  weight: 12,
  inject: ({ units }, random) => pick(units, random).process.kill(),
};
