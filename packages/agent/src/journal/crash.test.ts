import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { openJournal } from './open-journal.ts';

/** What a unit reported before it failed. */
interface Told {
  /** Sequences that were reported as durable. */
  recorded: number;
  acknowledged: number;
  /**
   * Rejects when the power fails: crossings that cannot be written are held in memory, and appending does not
   * end.
   */
  readonly cut?: Promise<never>;
}

const at = (sequence: number) => sequence * 1_000;
const crossings = (first: number, count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: at(first + index), direction: 1 }));
const options = { recordsPerSegment: 3, retryEvery: 1, recheckFor: 0 };

/** A short run with every kind of operation: new segments, acknowledgements, segments freed, a restart. */
async function live(files: Parameters<typeof openJournal>[1], told: Told): Promise<void> {
  for (const steps of [[2, 2, 3, 1], [1, 2], [4]]) {
    const journal = await openJournal('/', { ...options, ...files });
    try {
      for (const count of steps) {
        const appended = journal.append(crossings(journal.recorded + 1, count));
        await Promise.race([appended, told.cut ?? appended]);
        told.recorded = journal.recorded;
        const through = journal.recorded - 1;
        if (through > 0) journal.acknowledge(through, at(through));
        told.acknowledged = Math.max(told.acknowledged, through);
      }
    } finally {
      await journal.close();
    }
  }
}

/** No reported crossing is missing, none was invented, and numbering continues after the last one. */
async function expectTrue(contents: MemoryFiles, told: Told): Promise<void> {
  const journal = await openJournal('/', { ...options, files: memoryFileSystem(contents) });
  expect(journal.recorded).toBeGreaterThanOrEqual(told.recorded);
  expect(journal.lost).toEqual([]);
  const seen: number[] = [];
  for (let next = 1; ; ) {
    const run = await journal.read(next, 10);
    const last = run.at(-1);
    if (!last) break;
    for (const crossing of run) expect(crossing.at).toBe(at(crossing.sequence));
    seen.push(...run.map(({ sequence }) => sequence));
    next = last.sequence + 1;
  }
  const unacknowledged = seen.filter((sequence) => sequence > told.acknowledged);
  const expected = Math.max(0, journal.recorded - told.acknowledged);
  expect(unacknowledged).toEqual(
    Array.from({ length: expected }, (_, index) => told.acknowledged + 1 + index),
  );
  await journal.append(crossings(journal.recorded + 1, 1));
  await journal.close();
}

/** The number of operations without a failure. */
async function countOperations(): Promise<number> {
  let operations = 0;
  const disk = failingDisk(new Map(), { before: () => (operations += 1), torn: 1 });
  await live({ files: disk.files }, { recorded: 0, acknowledged: 0 });
  return operations;
}

test('has every reported crossing, and no other, after a power cut at any file operation', async () => {
  const operations = await countOperations();
  expect(operations).toBeGreaterThan(60);
  for (let cutAt = 1; cutAt <= operations; cutAt += 1) {
    for (const torn of [0, 0.4, 1]) {
      const { promise: cut, reject } = Promise.withResolvers<never>();
      cut.catch(() => {});
      const told = { recorded: 0, acknowledged: 0, cut };
      let operation = 0;
      const before = () => {
        operation += 1;
        if (operation < cutAt) return;
        const error = new Error('power cut');
        reject(error);
        throw error;
      };
      const disk = failingDisk(new Map(), { before, torn });
      await live({ files: disk.files }, told).catch(() => {});
      await expectTrue(disk.afterCut(torn), told);
    }
  }
});

test.each(['EIO', 'ENOSPC'])('has every reported crossing after %s at any file operation', async (code) => {
  const operations = await countOperations();
  for (let failAt = 1; failAt <= operations; failAt += 1) {
    const told = { recorded: 0, acknowledged: 0 };
    let operation = 0;
    const before = () => {
      operation += 1;
      if (operation === failAt) throw Object.assign(new Error(code), { code });
    };
    const disk = failingDisk(new Map(), { before, torn: 0.5 });
    await live({ files: disk.files }, told).catch(() => {});
    await expectTrue(disk.afterCut(0), told);
  }
});
