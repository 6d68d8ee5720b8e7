import { setTimeout as pause } from 'node:timers/promises';
import { untilTrue } from '../until.ts';
import { between, type Fault, pick, pickConnected } from './fault.ts';

/** How long a temporary read error lasts (ms); shorter than the agent's time limit in a campaign. */
export const unreadableFor = { shortest: 50, longest: 5_000 };

/** Faults of the disks of units. */
export const diskFaults: readonly Fault[] = [
  failingOnce('write', 'journal write fails'),
  failingOnce('sync', 'journal fsync fails'),
  {
    kind: 'journal unreadable for a while',
    kills: false,
    weight: 4,
    inject: async (world, random) => {
      const unit = await pickConnected(world, random);
      const duration = between(unreadableFor.shortest, unreadableFor.longest, random);
      unit.failReads(duration);
      await pause(duration);
    },
  },
  {
    /* New crossings wait; acknowledged ones must remain, for the restore of a backup. */
    kind: 'journal disk full',
    kills: false,
    weight: 1,
    inject: async (world, random) => {
      const { process } = await pickConnected(world, random);
      process.set('full', pick(['for new data', 'for all writes'], random));
      await pause(between(500, 3_000, random));
      process.set('full', 'no');
    },
  },
];

function failingOnce(operation: 'write' | 'sync', kind: string): Fault {
  return {
    kind,
    kills: false,
    weight: 2,
    inject: async (world, random) => {
      const { truth, progress, process, disk } = await pickConnected(world, random);
      const before = disk.failures;
      const isOver = () => progress.recorded >= truth.crossings.length;
      process.set('failing', { operation, in: between(1, 8, random) });
      await untilTrue(() => disk.failures > before || isOver(), `${truth.serial}: ${kind}`);
      process.set('failing', undefined);
    },
  };
}
