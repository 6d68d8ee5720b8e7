import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { EpochMs } from '@visitor-counter/domain/time';
import type { Logger } from '@visitor-counter/service/logger';
import { pause } from '@visitor-counter/service/pause';
import type { Edge, Restart } from '../beams/beams.ts';
import { endOfTime } from '../clock/time.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { DetectedCrossing } from '../detector/path.ts';
import type { Journal } from '../journal/journal.ts';
import { NotStored } from '../journal/journal-errors.ts';
import type { NewCrossing } from '../journal/rows.ts';
import type { Door } from './door.ts';

interface Recording extends Pick<Door, 'beams' | 'detector' | 'journal' | 'tally' | 'edgeListeners'> {
  /** Whether the source waits until the crossings of its last batch are durable. */
  readonly canWait: boolean;
  readonly clock: Pick<UnitClock, 'instantAt'>;
  /** Instant of the last crossing in the journal at the start. */
  readonly resumeAfter: EpochMs | undefined;
  /** Called after every decision of the detector. */
  readonly checkBeams: () => void;
  readonly log: Logger;
}

type Batch = readonly (Edge | Restart)[];

/**
 * Passes edges from the beams to the detector, and crossings from the detector to the journal, until the returned function
 * is called. If the beams or the journal fail, the process ends: a unit that cannot record must not look healthy, and the
 * next start repairs the journal.
 *
 * The next batch of edges is read when the crossings of this one are durable, so a slow disk slows a source that can wait,
 * and memory does not fill. People at real lines cannot wait: if the disk has no room, their crossings are held in memory.
 */
export function startRecording(recording: Recording): () => Promise<void> {
  const stopping = new AbortController();
  const ended = record(recording, stopping.signal).catch((error: unknown) => {
    recording.log.fatal({ err: error }, 'recording failed');
    process.exit(1);
  });
  return async () => {
    stopping.abort();
    await ended;
  };
}

/** Resolves when the beams have ended or `signal` aborts; rejects when the beams or the journal fail. */
async function record(recording: Recording, signal: AbortSignal): Promise<void> {
  const { beams, canWait, detector, resumeAfter, edgeListeners } = recording;
  const batches = beams.edges(signal, resumeAfter)[Symbol.asyncIterator]();
  for (;;) {
    const batch = await nextBatch(batches, recording, signal);
    /* Edges that real lines have reported before the stop are recorded, too; a source that waits plays them again. */
    if (signal.aborted && canWait) return;
    if (batch.done) return store(detector.advance(endOfTime), recording, signal);
    for (const listener of edgeListeners) listener(batch.value);
    const detected = batch.value.flatMap((event) =>
      'levels' in event ? detector.restart(event) : detector.edge(event),
    );
    await store(detected, recording, signal);
  }
}

/** Waits for the next batch. Meanwhile the detector decides what depends on time alone. */
async function nextBatch(
  batches: AsyncIterator<Batch>,
  recording: Recording,
  signal: AbortSignal,
): Promise<IteratorResult<Batch>> {
  const { beams, detector } = recording;
  let isWaiting = true;
  const batch = batches.next().finally(() => {
    isWaiting = false;
  });
  while (!signal.aborted) {
    await untilRead();
    if (!isWaiting) break;
    const now = beams.now();
    const decision = detector.nextDecision;
    if (now === undefined || decision === endOfTime) break;
    const enough = new AbortController();
    const decided = pause(Math.max(1, decision - now), AbortSignal.any([signal, enough.signal]));
    await Promise.race([batch, decided]);
    enough.abort();
    await untilRead();
    if (!isWaiting) break;
    await store(detector.advance(beams.now() ?? now), recording, signal);
  }
  return batch;
}

/** Journals detected crossings, each with its instant. */
async function store(
  detected: readonly DetectedCrossing[],
  recording: Recording,
  signal: AbortSignal,
): Promise<void> {
  const { beams, journal, tally, resumeAfter, checkBeams, log } = recording;
  const all = detected.map((crossing) => withInstant(crossing, recording));
  const crossings =
    beams.repeats && resumeAfter !== undefined ? all.filter(({ at }) => at > resumeAfter) : all;
  const dropped = await appendTo(journal, crossings, signal);
  tally.add(crossings.slice(0, crossings.length - dropped));
  if (dropped > 0) {
    tally.givenUp += dropped;
    const lost = { crossings: dropped, all: tally.givenUp };
    log.error(lost, 'crossings lost: no room on the disk or in memory');
  }
  checkBeams();
}

/**
 * Resolves when everything has been read that has arrived: the disk may have stopped the process for seconds, and time alone
 * must not decide before those edges. The first turn may begin after this round of reading, the second one comes after a
 * whole round.
 */
async function untilRead(): Promise<void> {
  await setImmediate(undefined);
  await setImmediate(undefined);
}

function withInstant({ at, direction }: DetectedCrossing, { beams, clock }: Recording): NewCrossing {
  const crossing = { direction, ...clock.instantAt(at, beams.stampClock) };
  return beams.stampClock === 'monotonic' ? { ...crossing, moment: at } : crossing;
}

/**
 * Journals crossings; returns how many were dropped. If they can neither be stored nor held, waits until they can, or until
 * `signal` aborts: then their source plays them again.
 */
export async function appendTo(
  journal: Journal,
  crossings: readonly NewCrossing[],
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    try {
      return journal.append(crossings);
    } catch (error) {
      if (!(error instanceof NotStored)) throw error;
      if (signal.aborted) return crossings.length;
      await once(journal.changes, 'storage', { signal }).catch(() => {});
    }
  }
}
