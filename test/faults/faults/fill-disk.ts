import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** The agent ends at its next write, and at every start, until there is room again. */
export const fillDisk: Fault = {
  kind: 'journal disk full',
  kills: false,
  weight: 1,
  inject: async ({ units }, random) => {
    const { process } = pick(units, random);
    process.tell('full', true);
    await pause(between(500, 3_000, random));
    process.tell('full', false);
  },
};
