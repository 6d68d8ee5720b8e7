import { expect, test } from 'vitest';
import { openJournal } from '../journal/open-journal.ts';
import { memoryFileSystem } from '../journal/testing/memory-file-system.ts';
import { roomAgain, storeOrHold } from './store-or-hold.ts';

const crossings = (count: number) =>
  Array.from({ length: count }, () => ({ at: 1_000, direction: 1 as const }));

/** A journal in segments of 4 crossings, 256 bytes each. */
const journalWith = (limit: number) =>
  openJournal('/', { files: memoryFileSystem(new Map()), recordsPerSegment: 4, limit, retryEvery: 5 });

test('crossings are held where there is no room, up to a bound, and what is beyond it is told', async () => {
  const journal = await journalWith(256);
  const settled: Promise<void>[] = [];
  const store = (count: number) =>
    storeOrHold(journal, crossings(count), (stored) => settled.push(stored), 5);
  expect(await store(4)).toBe(0);
  expect(await store(3)).toBe(0);
  expect(journal).toMatchObject({ recorded: 4, waiting: 3, storageProblem: 'limit' });
  expect(await store(4)).toBe(2);
  expect(journal).toMatchObject({ recorded: 4, waiting: 5 });
  await journal.close();
  expect((await Promise.allSettled(settled)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
});

test('a source that can wait goes on when there is room, or when it is to stop', async () => {
  const journal = await journalWith(512);
  const stopping = new AbortController();
  const ignored = (stored: Promise<void>) => stored.catch(() => {});
  await storeOrHold(journal, crossings(9), ignored, Number.POSITIVE_INFINITY);
  const stopped = roomAgain(journal, stopping.signal);
  stopping.abort();
  await stopped;
  expect(journal.storageProblem).toBe('limit');
  journal.acknowledge(4, 1_000);
  await roomAgain(journal, new AbortController().signal);
  expect(journal).toMatchObject({ recorded: 9, waiting: 0 });
  await journal.close();
});
