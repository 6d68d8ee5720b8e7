import { setImmediate } from 'node:timers/promises';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import { pause } from '@visitor-counter/service/pause';
import { beginOfTime, earliest, endOfTime, later, latest, monotonicMs } from '../clock/time.ts';
import type { Edge } from './beams.ts';

/** How long an edge is held back for earlier edges that are reported later (ms). */
export const longestDelay = 50;
/** How far a stamp may be after the arrival of its edge (ms). */
const mostAhead = 10_000;

/**
 * Sorts edges from a running program by their stamps. An edge is released some time after its arrival, not after its stamp,
 * since the program may stall.
 *
 * Invariant: no edge is released with a stamp before that of a released edge, or before a moment that `certainUntil` has
 * returned. An edge that arrives too late for that gets the earliest allowed stamp, and is counted in `late`. A stamp
 * far after its edge's arrival is wrong, and replaced; otherwise all edges until then would be late.
 */
export class LiveEdges {
  #held: { readonly edge: Edge; readonly arrived: MonotonicMs }[] = [];
  #passed = beginOfTime;
  late = 0;

  add(edge: Edge, arrived: MonotonicMs): void {
    if (edge.at < this.#passed) this.late += 1;
    const at = edge.at > later(arrived, mostAhead) ? arrived : edge.at;
    const held = { ...edge, at: latest(this.#passed, at) };
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.edge.at ?? 0) > held.at) place -= 1;
    this.#held.splice(place, 0, { edge: held, arrived });
  }

  /** When `release` returns the next edge; undefined while none is held. */
  get dueAt(): MonotonicMs | undefined {
    if (this.#held.length === 0) return undefined;
    return later(earliest(...this.#held.map(({ arrived }) => arrived)), longestDelay);
  }

  /** The edges that are certain at `now`, in order. */
  release(now: MonotonicMs): Edge[] {
    const due = this.#held.findLastIndex(({ arrived }) => arrived + longestDelay <= now);
    const released = this.#held.splice(0, due + 1).map(({ edge }) => edge);
    this.#passed = latest(this.#passed, released.at(-1)?.at ?? this.#passed);
    return released;
  }

  /** Returns the moment at which reading begins again, `now` or later: from then on no earlier edge is released. */
  restart(now: MonotonicMs): MonotonicMs {
    this.#passed = latest(this.#passed, monotonicMs(Math.floor(now)));
    return this.#passed;
  }

  /** Releases all held edges at the end of the input. */
  flush(): Edge[] {
    return this.release(endOfTime);
  }

  /** The moment up to which all edges have been released, if each is reported within twice the delay. */
  certainUntil(now: MonotonicMs): MonotonicMs {
    const oldest = this.#held[0]?.edge.at ?? endOfTime;
    this.#passed = latest(this.#passed, earliest(later(now, -2 * longestDelay), oldest));
    return this.#passed;
  }
}

/** The edges of a running program in order of their stamps, kept in `held` until they are certain. */
export async function* inOrder(
  batches: AsyncIterable<readonly Edge[]>,
  held: LiveEdges,
  clock: () => MonotonicMs,
): AsyncGenerator<readonly Edge[]> {
  const source = batches[Symbol.asyncIterator]();
  const read = () => {
    const batch = source.next();
    /* If it fails now, the next `await` of it throws. */
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
    /* The edges that were read before a failure are real. */
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
