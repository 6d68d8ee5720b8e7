import { pause } from '@visitor-counter/service/pause';

/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `work` does, which starts when all earlier work has ended. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** A clock is read again at least this often (ms): a wall clock may be set meanwhile. */
const longestTimer = 60_000;

/** Resolves with true when `clock` (ms) reaches `time`, with false when `signal` aborts. */
export async function sleepUntil(time: number, clock: () => number, signal: AbortSignal): Promise<boolean> {
  for (let left = time - clock(); left > 0 && !signal.aborted; left = time - clock()) {
    await pause(Math.min(left, longestTimer), signal);
  }
  return !signal.aborted;
}
