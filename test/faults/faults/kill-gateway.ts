import { type Fault, pick } from './fault.ts';

export const killGateway: Fault = {
  kind: 'gateway killed',
  kills: true,
  weight: 5,
  inject: ({ gateways }, random) => pick(gateways, random).process.kill(),
};
