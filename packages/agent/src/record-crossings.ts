import { setImmediate } from 'node:timers/promises';
import type { Crossing } from '@visitor-counter/domain/crossing';
import type { Beams } from './beams/beams.ts';
import type { CrossingDetector } from './detector/crossing-detector.ts';
import type { Edge, Restart } from './detector/edge.ts';
import type { Journal } from './journal/journal.ts';
import { epochOf } from './monotonic-time.ts';
import { pause } from './pause.ts';

export interface RecordingParts {
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  /** Instant (epoch ms) of the last crossing in the journal at the start. */
  readonly resumeAfter: number | undefined;
  /** Called with what was journaled; instants are epoch ms. */
  readonly onCrossings: (crossings: readonly Crossing[]) => void;
  /** Called after every batch. */
  readonly onBatch: () => void;
}

/**
 * Beams to detector to journal, until the beams end or `signal` aborts. The next batch is asked for when the
 * crossings of this one are durable, so that a slow disk slows the source and fills no memory.
 * Rejects when the source or the journal fails.
 */
export async function recordCrossings(parts: RecordingParts, signal: AbortSignal): Promise<void> {
  const { beams, detector, onBatch } = parts;
  const batches = beams.edges(signal)[Symbol.asyncIterator]();
  for (;;) {
    const batch = await nextBatch(batches, parts, signal);
    if (signal.aborted) return;
    const crossings = batch.done
      ? detector.advance(Number.POSITIVE_INFINITY)
      : batch.value.flatMap((event) => ('levels' in event ? detector.restart(event) : detector.edge(event)));
    await record(crossings, parts);
    onBatch();
    if (batch.done) return;
  }
}

/** Waits for the next batch; meanwhile time alone decides what was still in doubt. */
async function nextBatch(
  batches: AsyncIterator<readonly (Edge | Restart)[]>,
  parts: RecordingParts,
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
    await record(detector.advance(beams.now() ?? now), parts);
    onBatch();
  }
  return batch;
}

async function record(crossings: readonly Crossing[], parts: RecordingParts): Promise<void> {
  const { beams, journal, resumeAfter } = parts;
  const fresh =
    beams.repeats && resumeAfter !== undefined ? crossings.filter(({ at }) => at > resumeAfter) : crossings;
  const settled = fresh.map((crossing) => ({ ...crossing, at: epochOf(beams.time, crossing.at) }));
  await journal.append(settled);
  parts.onCrossings(settled);
}
