import { once } from 'node:events';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { faultyDisk, temporaryJournal } from '../../test/temporary-journal.ts';
import type { Beams, Edge } from '../beams/beams.ts';
import { instantOf, monotonicMs } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { Tally } from './door-reports.ts';
import { appendTo, startRecording } from './start-recording.ts';

const crossings = (count: number) =>
  Array.from({ length: count }, () => ({ at: 1_000, direction: 1 as const }));

test('crossings are held in memory while the disk has no room, up to a bound; the rest is reported as dropped', async () => {
  const { disk, beforeUse } = faultyDisk();
  const journal = await temporaryJournal({ beforeUse });
  const { signal } = new AbortController();
  expect(await appendTo(journal, crossings(4), signal)).toBe(0);
  disk.code = 'ENOSPC';
  expect(await appendTo(journal, crossings(99_999), signal)).toBe(0);
  expect(await appendTo(journal, crossings(3), signal)).toBe(2);
  expect(journal).toMatchObject({ recorded: 4, held: 100_000, storageProblem: { problem: 'full' } });
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
  const journal = await temporaryJournal();
  const stop = startRecording({
    beams,
    canWait: false,
    detector: new Detector({}, levels),
    journal,
    clock: { instantAt: (at) => ({ at: instantOf(at, 0), uncertainty: 0, isDated: true }) },
    resumeAfter,
    tally: new Tally(),
    edgeListeners: new Set(),
    checkBeams: () => {},
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
  });
  await stop();
  return journal;
}

test('records a person whose last edge arrived immediately before the stop', async () => {
  expect(await recorded(walkIn(400), false)).toMatchObject({ recorded: 1, recordedAt: 400 });
});

test('records of a source that repeats its edges only crossings after the last one in the journal', async () => {
  const edges = [400, 1_400, 2_400].flatMap(walkIn);
  expect(await recorded(edges, true, 1_400)).toMatchObject({ recorded: 1, recordedAt: 2_400 });
});
