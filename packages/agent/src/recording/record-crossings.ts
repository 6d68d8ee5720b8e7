import { setImmediate } from 'node:timers/promises';
import type { EpochMs } from '@visitor-counter/domain/time';
import { pause } from '../async/pause.ts';
import type { Beams } from '../beams/beams.ts';
import type { Edge, Restart } from '../beams/edge.ts';
import { endOfTime } from '../clock/time.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { CrossingDetector, DetectedCrossing } from '../detector/crossing-detector.ts';
import type { Journal } from '../journal/journal.ts';
import type { NewCrossing } from '../journal/record-codec.ts';
import { mostHeld, roomAgain, storeOrHold } from './store-or-hold.ts';

export interface RecordingParts {
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  readonly clock: Pick<UnitClock, 'place'>;
  /** Instant of the last crossing in the journal at the start. */
  readonly resumeAfter: EpochMs | undefined;
  /** Called with the crossings that were journaled or are held in memory until there is room. */
  readonly onCrossings: (crossings: readonly NewCrossing[]) => void;
  /** Called after every batch. */
  readonly onBatch: () => void;
  /** So many crossings could not even be held in memory. */
  readonly onGivenUp: (crossings: number) => void;
}

/**
 * Beams to detector to journal, until the beams end or `signal` aborts. The next batch is asked for when the
 * crossings of this one are durable, so that a slow disk slows the source and fills no memory; where there is
 * no room on the disk, people go on walking and are held in memory, while other sources wait.
 * Rejects when the source or the journal fails.
 */
export async function recordCrossings(parts: RecordingParts, signal: AbortSignal): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const recording = recordBatches({ ...parts, onFailure: failed.reject }, signal);
  await Promise.race([recording, failed.promise]);
}

interface BatchParts extends RecordingParts {
  /** The journal failed with crossings that were held. */
  readonly onFailure: (error: unknown) => void;
}

async function recordBatches(parts: BatchParts, signal: AbortSignal): Promise<void> {
  const { beams, detector, onBatch } = parts;
  const batches = beams.edges(signal)[Symbol.asyncIterator]();
  for (;;) {
    const batch = await nextBatch(batches, parts, signal);
    // What lines have reported before the end is recorded, too.
    if (signal.aborted && (batch.done || beams.stampClock === 'epoch')) return;
    const crossings = batch.done
      ? detector.advance(endOfTime)
      : batch.value.flatMap((event) => ('levels' in event ? detector.restart(event) : detector.edge(event)));
    await record(crossings, parts, signal);
    onBatch();
    if (batch.done) return;
  }
}

/** Waits for the next batch; meanwhile time alone decides what was still in doubt. */
async function nextBatch(
  batches: AsyncIterator<readonly (Edge | Restart)[]>,
  parts: BatchParts,
  signal: AbortSignal,
): Promise<IteratorResult<readonly (Edge | Restart)[]>> {
  const { beams, detector, onBatch } = parts;
  let waiting = true;
  const batch = batches.next().finally(() => {
    waiting = false;
  });
  while (!signal.aborted) {
    const now = beams.now();
    const decision = detector.nextDecision;
    if (now === undefined || decision === undefined) break;
    const enough = new AbortController();
    await Promise.race([batch, pause(Math.max(1, decision - now), AbortSignal.any([signal, enough.signal]))]);
    enough.abort();
    // After a stall, what came meanwhile is read before time alone decides.
    await setImmediate(undefined);
    if (!waiting) break;
    await record(detector.advance(beams.now() ?? now), parts, signal);
    onBatch();
  }
  return batch;
}

async function record(
  crossings: readonly DetectedCrossing[],
  parts: BatchParts,
  signal: AbortSignal,
): Promise<void> {
  const { beams, journal, resumeAfter, onFailure, onGivenUp } = parts;
  const all = crossings.map((crossing) => withInstant(crossing, parts));
  const placed = beams.repeats && resumeAfter !== undefined ? all.filter(({ at }) => at > resumeAfter) : all;
  // Only people at real lines cannot wait.
  const most = beams.stampClock === 'monotonic' ? mostHeld : Number.POSITIVE_INFINITY;
  const givenUp = await storeOrHold(journal, placed, (stored) => stored.catch(onFailure), most);
  parts.onCrossings(placed.slice(0, placed.length - givenUp));
  if (givenUp > 0) onGivenUp(givenUp);
  if (beams.stampClock === 'epoch') await roomAgain(journal, signal);
}

function withInstant({ at, direction }: DetectedCrossing, { beams, clock }: RecordingParts): NewCrossing {
  const crossing = { direction, ...clock.place(at, beams.stampClock) };
  return beams.stampClock === 'monotonic' ? { ...crossing, moment: at } : crossing;
}
