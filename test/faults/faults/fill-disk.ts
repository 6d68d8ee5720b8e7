import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** Nothing can be journaled until there is room again; journaled crossings are still delivered. */
export const fillDisk: Fault = {
  kind: 'journal disk full',
  kills: false,
  weight: 1,
  inject: async ({ units }, random) => {
    const { process } = pick(units, random);
    process.set('full', true);
    await pause(between(500, 3_000, random));
    process.set('full', false);
  },
};
