import { connectionFaults } from './connections.ts';
import { diskFaults } from './disk.ts';
import { between, type Fault, pick } from './fault.ts';
import { kills } from './kills.ts';
import { moveStore } from './move-store.ts';
import { repeatMessages } from './repeat-messages.ts';

/** Half a day (ms), so that crossings of the past are in the past of every clock. */
const farthest = 12 * 3_600_000;

/** The wall clock of a unit or a gateway jumps, and remains wrong until it jumps again. */
const moveClock: Fault = {
  kind: 'clock moved',
  kills: false,
  weight: 3,
  inject: async ({ units, gateways }, random) => {
    pick([...units, ...gateways], random).process.set('clock', between(-farthest, farthest, random));
  },
};

/** All faults that are drawn; the database is restored once in addition. */
export const faults: readonly Fault[] = [
  ...kills,
  ...connectionFaults,
  ...diskFaults,
  moveClock,
  repeatMessages,
  moveStore,
];
