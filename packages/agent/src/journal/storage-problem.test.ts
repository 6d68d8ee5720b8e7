import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { firstPosition, readAcknowledged, writeAcknowledged } from './acknowledged-file.ts';
import type { Journal } from './journal.ts';
import type { JournalOptions } from './journal-state.ts';
import { openJournal } from './open-journal.ts';
import { Retries } from './retries.ts';
import type { Segment } from './segment-format.ts';

const crossings = (count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 }));

/** A journal on a disk that is full whenever `state.full` is set; freeing makes room. */
async function onFullDisk(contents: MemoryFiles, options: JournalOptions = {}, state = { full: false }) {
  const before = (operation: string, path: string) => {
    if (operation === 'remove' && path.endsWith('.journal')) state.full = false;
    const grows = operation === 'create' || (operation === 'write' && path.endsWith('.journal'));
    if (state.full && grows) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { files } = failingDisk(contents, { before, torn: 0.5 });
  const journal = await openJournal('/', { recordsPerSegment: 4, retryEvery: 5, ...options, files });
  return { journal, state };
}

test('holds crossings in memory while the disk is full, does not change the journal, and stores all of them later', async () => {
  const { journal, state } = await onFullDisk(new Map());
  await journal.append(crossings(6));
  state.full = true;
  const waiting = journal.append(crossings(3));
  await expect.poll(() => journal.storageProblem?.problem).toBe('full');
  expect(journal).toMatchObject({ recorded: 6, unwritten: 3 });
  expect(await journal.read(1, 10)).toHaveLength(4);
  state.full = false;
  await waiting;
  expect(journal).toMatchObject({ recorded: 9, unwritten: 0 });
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  await journal.close();
});

test('opens and reads a journal that filled its disk, frees acknowledged segments, and reports which', async () => {
  const contents: MemoryFiles = new Map();
  const first = await onFullDisk(contents);
  await first.journal.append(crossings(9));
  await first.journal.close();
  const deleted: Segment[] = [];
  const onRoomMade = (segment: Segment) => void deleted.push(segment);
  const { journal, state } = await onFullDisk(contents, { keepFor: 1e12, onRoomMade });
  state.full = true;
  const waiting = journal.append(crossings(1));
  await expect.poll(() => journal.storageProblem?.problem).toBe('full');
  expect((await journal.read(1, 10)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  journal.acknowledge(8, 8_000);
  await waiting;
  expect(journal.recorded).toBe(10);
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  expect((await journal.read(1, 10)).map(({ sequence }) => sequence)).toEqual([5, 6, 7, 8]);
  expect(deleted).toMatchObject([{ first: 1, count: 4, lastAt: 4_000 }]);
  await journal.close();
});

test('frees acknowledged segments on a full disk also to write the end of the journal again', async () => {
  const contents: MemoryFiles = new Map();
  const first = await onFullDisk(contents, { keepFor: 1e12 });
  await first.journal.append(crossings(9));
  first.journal.acknowledge(8, 8_000);
  await first.journal.close();
  const { journal } = await onFullDisk(contents, { keepFor: 1e12 }, { full: true });
  expect(journal.storageProblem).toBeUndefined();
  expect(await journal.read(9, 10)).toMatchObject([{ sequence: 9 }]);
  await journal.close();
});

test('preserves the oldest crossings at the limit, and holds new ones in memory until some are acknowledged', async () => {
  const files = memoryFileSystem(new Map());
  const bytesOfThree = 3 * (128 + 4 * 32);
  const journal = await openJournal('/', { files, recordsPerSegment: 4, retryEvery: 5, limit: bytesOfThree });
  const waiting = journal.append(crossings(13));
  await expect.poll(() => journal.storageProblem?.problem).toBe('limit');
  expect(journal).toMatchObject({ recorded: 12, unwritten: 1 });
  expect((await journal.read(1, 10))[0]?.sequence).toBe(1);
  journal.acknowledge(4, 4_000);
  await waiting;
  expect(journal.recorded).toBe(13);
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  await journal.close();
});

/** Opens a journal on a machine that has run for `hours` since it was started. */
async function keeping(contents: MemoryFiles, hours: { now: number }, options: JournalOptions = {}) {
  const files = memoryFileSystem(contents);
  const monotonic = () => hours.now * 3_600_000;
  return openJournal('/', { files, recordsPerSegment: 4, keepFor: 10 * 3_600_000, monotonic, ...options });
}

const firstKept = async (journal: Journal) => (await journal.read(1, 1))[0]?.sequence;

test.each([0, 7, 365, -7])(
  'keeps acknowledged crossings for the configured time, with a clock that is %i days off',
  async (days) => {
    const contents: MemoryFiles = new Map();
    const hours = { now: 5 };
    const wrong = Date.UTC(2026, 10, 22) + days * 86_400_000;
    const people = crossings(10).map(({ at, direction }) => ({ at: at + wrong, direction }));
    const first = await keeping(contents, hours);
    await first.append(people.slice(0, 9));
    first.acknowledge(8, people[7]?.at ?? 0);
    hours.now += 4;
    await first.close();

    hours.now = 1;
    const second = await keeping(contents, hours);
    hours.now += 9;
    await second.append(people.slice(9));
    second.acknowledge(9, people[8]?.at ?? 0);
    expect(await firstKept(second)).toBe(1);
    await second.close();
    const third = await keeping(contents, hours);
    expect(await firstKept(third)).toBe(1);
    hours.now += 2;
    third.acknowledge(10, people[9]?.at ?? 0);
    await third.close();

    const last = await keeping(contents, hours);
    expect(await firstKept(last)).toBe(9);
    await last.close();
  },
);

test('frees the oldest acknowledged crossings when all of them need more than the allowed space', async () => {
  const bytesOfTwo = 2 * (128 + 4 * 32);
  const contents: MemoryFiles = new Map();
  const journal = await keeping(contents, { now: 0 }, { keepWithin: bytesOfTwo });
  await journal.append(crossings(21));
  journal.acknowledge(18, 18_000);
  await journal.close();

  const again = await keeping(contents, { now: 0 }, { keepWithin: bytesOfTwo });

  expect(await firstKept(again)).toBe(9);
  expect(again).toMatchObject({ recorded: 21, acknowledged: 18 });
  await again.close();
});

test('begins in another reserved file if the disk cannot write one of them', async () => {
  const state = { full: false, broken: '' };
  const before = (operation: string, path: string) => {
    if (path === state.broken) throw Object.assign(new Error('damaged'), { code: 'EIO' });
    if (state.full && operation === 'create') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const contents: MemoryFiles = new Map();
  const { files } = failingDisk(contents, { before, torn: 0.5 });
  const journal = await openJournal('/', { files, recordsPerSegment: 4, retryEvery: 5, reserve: 2 });
  await journal.append(crossings(4));
  await expect.poll(() => [...contents.keys()].filter((name) => name.endsWith('.reserve'))).toHaveLength(2);
  state.broken = '/1.reserve';
  state.full = true;
  await journal.append(crossings(3));
  expect(journal.recorded).toBe(7);
  await journal.close();
});

test('reports that a disk can be written again some seconds after it could not fill the reserve', async () => {
  const state = { fails: true, now: 0 };
  const before = (operation: string, path: string) => {
    if (state.fails && operation === 'sync' && path.includes('.reserve'))
      throw Object.assign(new Error('damaged'), { code: 'EIO' });
  };
  const { files } = failingDisk(new Map(), { before, torn: 0.5 });
  const monotonic = () => state.now;
  const journal = await openJournal('/', { files, retryEvery: 5_000, reserve: 2, monotonic });
  await journal.append(crossings(1));
  await expect.poll(() => journal.storageProblem?.problem).toBe('failed');
  state.fails = false;
  state.now = 5_001;
  await journal.append(crossings(1));
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  await journal.close();
});

test('reports at the next attempt that a disk has room again while nothing more is held in memory', async () => {
  const state = { full: true };
  const before = (operation: string) => {
    if (state.full && operation === 'create') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { files } = failingDisk(new Map(), { before, torn: 0.5 });
  const monotonic = () => 0;
  const options = { retryEvery: 1, reserve: 2, bootTime: () => ({ offset: 0, uncertainty: 0 }) };
  const journal = await openJournal('/', { ...options, files, monotonic });
  void journal.append(crossings(1));
  await expect.poll(() => journal.volatile.read(1, 10)).toHaveLength(1);
  journal.volatile.acknowledge(1, 1_000);
  await expect.poll(() => journal).toMatchObject({ isHolding: true, held: 0 });
  state.full = false;
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  await journal.close();
});

test('leaves no incomplete file on a full disk', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const before = (operation: string) => {
    if (state.full && operation === 'write') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { files } = failingDisk(contents, { before, torn: 0.5 });
  const journal = await openJournal('/', { files, recordsPerSegment: 4, retryEvery: 5 });
  await journal.append(crossings(4));
  state.full = true;
  const waiting = journal.append(crossings(1));
  await expect.poll(() => journal.storageProblem?.problem).toBe('full');
  expect([...contents.keys()].filter((path) => path.endsWith('.new'))).toEqual([]);
  state.full = false;
  await waiting;
  await journal.close();
});

test('reads the position that was stored last on a full disk, also if it is shorter than the one before', async () => {
  const memory = memoryFileSystem(new Map());
  const create = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  const position = firstPosition('j');
  await writeAcknowledged(memory, '/', { ...position, lost: [[1, 10]] });
  await writeAcknowledged({ ...memory, create }, '/', position);
  expect(await readAcknowledged(memory, '/', new Retries())).toEqual(position);
});
