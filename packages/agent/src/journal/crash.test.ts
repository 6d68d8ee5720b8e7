import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { cutEverywhere, failEverywhere } from '../../test/fail-everywhere.ts';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import type { FileSystem } from './file-system.ts';
import { openJournal } from './open-journal.ts';

/** The reports of a unit before it failed. */
interface Reported {
  /** Sequences that were reported as durable. */
  recorded: number;
  acknowledged: number;
}

const at = (sequence: number) => sequence * 1_000;
const crossings = (first: number, count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: at(first + index), direction: 1 }));
const options = { recordsPerSegment: 3, retryEvery: 1, recheckFor: 0 };

/**
 * A short run with every kind of operation: new segments, acknowledgements, segments freed, a restart. `cut` rejects when
 * the power fails: crossings that cannot be written are held in memory, and appending does not end.
 */
async function live(files: FileSystem, reported: Reported, cut?: Promise<never>): Promise<void> {
  for (const steps of [[2, 2, 3, 1], [1, 2], [4]]) {
    const journal = await openJournal('/', { ...options, files });
    try {
      for (const count of steps) {
        const appended = journal.append(crossings(journal.recorded + 1, count));
        await Promise.race([appended, cut ?? appended]);
        reported.recorded = journal.recorded;
        const through = journal.recorded - 1;
        if (through > 0) journal.acknowledge(through, at(through));
        reported.acknowledged = Math.max(reported.acknowledged, through);
      }
    } finally {
      await journal.close();
    }
  }
}

/** No reported crossing is missing, none was invented, and numbering continues after the last one. */
async function expectTrue(contents: MemoryFiles, reported: Reported): Promise<void> {
  const journal = await openJournal('/', { ...options, files: memoryFileSystem(contents) });
  expect(journal.recorded).toBeGreaterThanOrEqual(reported.recorded);
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
  const unacknowledged = seen.filter((sequence) => sequence > reported.acknowledged);
  const expected = Math.max(0, journal.recorded - reported.acknowledged);
  expect(unacknowledged).toEqual(
    Array.from({ length: expected }, (_, index) => reported.acknowledged + 1 + index),
  );
  await journal.append(crossings(journal.recorded + 1, 1));
  await journal.close();
}

const life = { reported: (): Reported => ({ recorded: 0, acknowledged: 0 }), live, check: expectTrue };

test('has exactly the reported crossings after a power cut at any file operation', async () => {
  expect(await cutEverywhere(life)).toBeGreaterThan(60);
});

test.each(['EIO', 'ENOSPC'])('has every reported crossing after %s at any file operation', async (code) => {
  await failEverywhere(code, life);
});

/** The same files, on a disk on which no file can be created or grow while `disk.full` is set. */
function filled(files: FileSystem, disk: { readonly full: boolean }): FileSystem {
  const assertRoom = (isEnough: boolean) => {
    if (disk.full && !isEnough) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  return {
    ...files,
    create: async (path) => {
      assertRoom(false);
      return files.create(path);
    },
    open: async (path) => {
      const file = await files.open(path);
      const write = async (bytes: Buffer, position: number) => {
        assertRoom(!path.endsWith('.journal') || position + bytes.length <= (await file.size()));
        await file.write(bytes, position);
      };
      return { ...file, write };
    },
  };
}

/** Fills its reserve, uses it while the disk is full, also after a restart, and continues on a disk with room. */
async function liveInReserve(files: FileSystem, reported: Reported, cut?: Promise<never>): Promise<void> {
  const disk = { full: false };
  const reserving = { ...options, files: filled(files, disk), reserve: 4, keepFor: 1e12 };
  for (const steps of [[2, 2], [2, 3, 1], [1]]) {
    const journal = await openJournal('/', reserving);
    try {
      for (const count of steps) {
        const appended = journal.append(crossings(journal.recorded + 1, count));
        await Promise.race([appended, cut ?? appended]);
        reported.recorded = journal.recorded;
        disk.full = journal.recorded < 10;
      }
    } finally {
      await journal.close();
    }
  }
}

test('has exactly the reported crossings after a power cut at any file operation on a full disk', async () => {
  expect(await cutEverywhere({ ...life, live: liveInReserve })).toBeGreaterThan(100);
});

/** A disk with a crossing that is durable, and one whose fdatasync did not end before its agent was killed. */
async function killedDuringSync(isFailing: boolean) {
  const state = { isFailing: false, isKilled: false };
  const before = (operation: string) => {
    state.isKilled ||= !isFailing && state.isFailing && operation === 'sync';
    if (state.isKilled) throw new Error('killed');
    /* The sync and all later operations fail, so the file is not cut back either. */
    if (state.isFailing && !['write', 'open'].includes(operation))
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  const disk = failingDisk(new Map(), { before, torn: 1 });
  const never = () => new Promise<void>(() => {});
  const journal = await openJournal('/', { ...options, files: disk.files, pause: never });
  await journal.append(crossings(1, 1));
  state.isFailing = true;
  void journal.append(crossings(2, 1));
  await expect.poll(() => journal.isHolding).toBe(true);
  Object.assign(state, { isFailing: false, isKilled: false });
  return { disk, state };
}

test.each([
  ['before its fdatasync', false],
  ['after a failed fdatasync', true],
])(
  'uses no sequence again after a power cut if an agent was killed %s and the next one has sent it',
  async (_, isFailing) => {
    const { disk } = await killedDuringSync(isFailing);

    const second = await openJournal('/', { ...options, files: disk.files });
    expect(await second.read(1, 10)).toHaveLength(2);
    const third = await openJournal('/', { ...options, files: memoryFileSystem(disk.afterCut(0)) });

    expect(third).toMatchObject({ recorded: 2, lost: [] });
    await second.close();
    await third.close();
  },
);

test('sends the end of the journal after a kill only when the disk has stored it, also without another crossing', async () => {
  const { disk, state } = await killedDuringSync(true);
  state.isFailing = true;
  const journal = await openJournal('/', { ...options, files: disk.files });
  let notified = 0;
  journal.changes.durable.add(() => (notified += 1));
  expect(await journal.read(1, 10)).toEqual([]);
  await expect(journal.readNow(1, 10)).rejects.toThrow('not durable yet');
  expect(journal.storageProblem?.problem).toBe('failed');
  expect((await openJournal('/', { ...options, files: memoryFileSystem(disk.afterCut(0)) })).recorded).toBe(
    1,
  );

  state.isFailing = false;

  await expect.poll(() => journal.read(1, 10)).toHaveLength(2);
  expect(notified).toBe(1);
  expect((await openJournal('/', { ...options, files: memoryFileSystem(disk.afterCut(0)) })).recorded).toBe(
    2,
  );
  await journal.close();
});
