import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test, vi } from 'vitest';
import { type JournalOptions, openJournal } from './journal.ts';
import { failingDisk } from './testing/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from './testing/memory-file-system.ts';

const crossings = (count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 }));

/** A journal on a disk that is full whenever `state.full` is set; freeing makes room. */
async function onFullDisk(contents: MemoryFiles, options: JournalOptions = {}) {
  const state = { full: false };
  const before = (operation: string, path: string) => {
    if (operation === 'remove') state.full = false;
    const grows = operation === 'create' || (operation === 'write' && path.endsWith('.journal'));
    if (state.full && grows) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { files } = failingDisk(contents, { before, torn: 0.5 });
  const journal = await openJournal('/', { recordsPerSegment: 4, retryEvery: 5, ...options, files });
  return { journal, state };
}

test('while the disk is full crossings wait, nothing journaled is touched, and all are stored afterwards', async () => {
  const { journal, state } = await onFullDisk(new Map());
  await journal.append(crossings(6));
  state.full = true;
  const waiting = journal.append(crossings(3));
  await vi.waitFor(() => expect(journal.noRoom).toBe('disk'));
  expect(journal).toMatchObject({ recorded: 6, waiting: 3 });
  expect(await journal.read(1, 10)).toHaveLength(4);
  state.full = false;
  await waiting;
  expect(journal).toMatchObject({ recorded: 9, waiting: 0, noRoom: undefined });
  await journal.close();
});

test('a journal that filled its own disk opens, is read, and frees itself by what is acknowledged', async () => {
  const contents: MemoryFiles = new Map();
  const first = await onFullDisk(contents);
  await first.journal.append(crossings(9));
  await first.journal.close();
  const { journal, state } = await onFullDisk(contents, { keepFor: 1e12 });
  state.full = true;
  const waiting = journal.append(crossings(1));
  await vi.waitFor(() => expect(journal.noRoom).toBe('disk'));
  expect((await journal.read(1, 10)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  journal.acknowledge(8, 8_000);
  await waiting;
  expect(journal).toMatchObject({ recorded: 10, noRoom: undefined });
  expect((await journal.read(1, 10)).map(({ sequence }) => sequence)).toEqual([9, 10]);
  await journal.close();
});

test('at its limit the oldest crossings are kept, and new ones wait until some are acknowledged', async () => {
  const files = memoryFileSystem(new Map());
  const bytesOfThree = 3 * (128 + 4 * 32);
  const journal = await openJournal('/', { files, recordsPerSegment: 4, retryEvery: 5, limit: bytesOfThree });
  const waiting = journal.append(crossings(13));
  await vi.waitFor(() => expect(journal.noRoom).toBe('limit'));
  expect(journal).toMatchObject({ recorded: 12, waiting: 1 });
  expect((await journal.read(1, 10))[0]?.sequence).toBe(1);
  journal.acknowledge(4, 4_000);
  await waiting;
  expect(journal).toMatchObject({ recorded: 13, noRoom: undefined });
  await journal.close();
});

test('acknowledged crossings stay for as long as asked for, and go with the next acknowledgement after it', async () => {
  const files = memoryFileSystem(new Map());
  let now = 9_000;
  const options = { files, recordsPerSegment: 4, keepFor: 10_000, clock: () => now };
  const journal = await openJournal('/', options);
  await journal.append(crossings(9));
  journal.acknowledge(8, 8_000);
  await journal.close();
  const again = await openJournal('/', options);
  expect((await again.read(1, 10))[0]?.sequence).toBe(1);
  now = 15_000;
  again.acknowledge(9, 9_000);
  await again.close();
  const last = await openJournal('/', options);
  expect((await last.read(1, 10))[0]?.sequence).toBe(5);
  await last.close();
});
