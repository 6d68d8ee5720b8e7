import { setImmediate } from 'node:timers/promises';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import { pause } from '../async/pause.ts';
import type { Edge } from './edge.ts';
import type { LiveEdges } from './live-edges.ts';

/** The edges of a running program in order of their stamps, kept in `held` until they are certain. */
export async function* inOrder(
  batches: AsyncIterable<readonly Edge[]>,
  held: LiveEdges,
  clock: () => MonotonicMs,
): AsyncGenerator<readonly Edge[]> {
  const source = batches[Symbol.asyncIterator]();
  const read = () => {
    const batch = source.next();
    // If it fails now, the next `await` of it throws.
    batch.catch(() => {});
    return batch;
  };
  let next = read();
  try {
    for (;;) {
      const batch = await nextUntil(next, held.dueAt, clock);
      if (batch?.done) break;
      if (batch) {
        const arrived = clock();
        for (const edge of batch.value) held.add(edge, arrived);
        next = read();
      }
      const certain = held.release(clock());
      if (certain.length > 0) yield certain;
    }
    yield held.flush();
  } catch (error) {
    // The edges that were read before a failure are real.
    yield held.flush();
    throw error;
  } finally {
    await source.return?.();
  }
}

/** The next batch, or undefined if none arrives by `due`. After a stall, batches that have arrived are returned first. */
async function nextUntil<Batch>(
  next: Promise<Batch>,
  due: MonotonicMs | undefined,
  clock: () => MonotonicMs,
): Promise<Batch | undefined> {
  if (due === undefined) return await next;
  const enough = new AbortController();
  const late = pause(Math.max(1, due - clock()), enough.signal).then(() => setImmediate(undefined));
  return await Promise.race([next, late]).finally(() => enough.abort());
}
