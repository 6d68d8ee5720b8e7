import { expect, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { openJournal } from '../journal/open-journal.ts';
import { storeOrHold, untilRoom } from './start-recording.ts';

const crossings = (count: number) =>
  Array.from({ length: count }, () => ({ at: 1_000, direction: 1 as const }));

/** A journal in segments of 4 crossings, 256 bytes each. */
const journalWith = (limit: number) =>
  openJournal('/', { files: memoryFileSystem(new Map()), recordsPerSegment: 4, limit, retryEvery: 5 });

test('crossings are held in memory while the disk has no room, up to a bound; the rest is reported as dropped', async () => {
  const journal = await journalWith(256);
  const appended: Promise<void>[] = [];
  const store = async (count: number) => {
    const { stored, dropped } = await storeOrHold(journal, crossings(count), 5);
    appended.push(stored);
    return dropped;
  };
  expect(await store(4)).toBe(0);
  expect(await store(3)).toBe(0);
  expect(journal).toMatchObject({ recorded: 4, unwritten: 3, storageProblem: { problem: 'limit' } });
  expect(await store(4)).toBe(2);
  expect(journal).toMatchObject({ recorded: 4, unwritten: 5 });
  await journal.close();
  expect((await Promise.allSettled(appended)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
});

test('a source that can wait continues when there is room again, or stops when it is aborted', async () => {
  const journal = await journalWith(512);
  const stopping = new AbortController();
  const { stored } = await storeOrHold(journal, crossings(9), Number.POSITIVE_INFINITY);
  const stopped = untilRoom(journal, stopping.signal);
  stopping.abort();
  await stopped;
  expect(journal.storageProblem?.problem).toBe('limit');
  journal.acknowledge(4, 1_000);
  await untilRoom(journal, new AbortController().signal);
  await stored;
  expect(journal).toMatchObject({ recorded: 9, unwritten: 0 });
  await journal.close();
});
