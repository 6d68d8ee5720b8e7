import { pause } from './pause.ts';

/** Work that runs periodically. */
export interface Repetition {
  /** Starts no further run, and waits for the current one. */
  close(): Promise<void>;
}

/**
 * Runs `work` now and again `interval` ms after the end of each run, until it is closed, which also aborts `signal`.
 * Errors of a run go to `onError` and do not end the repetition.
 */
export function repeat(
  interval: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Repetition {
  const closing = new AbortController();
  const { signal } = closing;
  const run = async () => {
    while (!signal.aborted) {
      await work(signal).catch(onError);
      await pause(interval, signal);
    }
  };
  const ended = run();
  return {
    close: async () => {
      closing.abort();
      await ended;
    },
  };
}
