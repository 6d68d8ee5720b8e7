import { once } from 'node:events';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import type { Beams, Edge } from '../beams/beams.ts';
import { instantOf, monotonicMs } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { openJournal } from '../journal/open-journal.ts';
import { Tally } from './door-reports.ts';
import { startRecording, storeOrHold, untilRoom } from './start-recording.ts';

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

/** Somebody who walks in and has left both beams at `at`. */
const walkIn = (at: number): Edge[] => [
  { at: monotonicMs(at - 300), beam: 'a', broken: true },
  { at: monotonicMs(at - 200), beam: 'b', broken: true },
  { at: monotonicMs(at - 100), beam: 'a', broken: false },
  { at: monotonicMs(at), beam: 'b', broken: false },
];

/** The journal after a recording that was stopped, and whose beams report these edges only then. */
async function recorded(edges: readonly Edge[], repeats: boolean, resumeAfter?: number) {
  const levels = { a: false, b: false };
  const beams: Beams = {
    levels,
    stampClock: 'monotonic',
    live: true,
    repeats,
    now: () => monotonicMs(0),
    edges: async function* (signal) {
      if (!signal.aborted) await once(signal, 'abort');
      yield edges;
    },
  };
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()) });
  const stop = startRecording({
    beams,
    canWait: false,
    detector: new Detector({}, levels),
    journal,
    clock: { instantAt: (at) => ({ at: instantOf(at, 0), uncertainty: 0, isDated: true }) },
    resumeAfter,
    tally: new Tally(),
    checkBeams: () => {},
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
  });
  await stop();
  await journal.close();
  return journal;
}

test('records a person whose last edge arrived immediately before the stop', async () => {
  expect(await recorded(walkIn(400), false)).toMatchObject({ recorded: 1, recordedAt: 400 });
});

test('records of a source that repeats its edges only crossings after the last one in the journal', async () => {
  const edges = [400, 1_400, 2_400].flatMap(walkIn);
  expect(await recorded(edges, true, 1_400)).toMatchObject({ recorded: 1, recordedAt: 2_400 });
});
