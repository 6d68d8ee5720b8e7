import { between, type Fault, pick } from './fault.ts';

/** Half a day, so that crossings of the past are in the past of every clock. */
const farthest = 12 * 3_600_000;

/** The wall clock of a unit or a gateway jumps, and remains wrong until it jumps again. */
export const moveClock: Fault = {
  kind: 'clock moved',
  kills: false,
  weight: 3,
  inject: async ({ units, gateways }, random) => {
    pick([...units, ...gateways], random).process.set('clock', between(-farthest, farthest, random));
  },
};
