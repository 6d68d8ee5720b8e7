import { setTimeout as delay } from 'node:timers/promises';

/** Something that is done again and again. */
export interface Repeated {
  /** Stops, and waits for what is under way. */
  close(): Promise<void>;
}

/** Looks `interval` ms after the end of the last look, for as long as it is not closed; what a look throws is told. */
export function atIntervals(
  interval: number,
  look: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Repeated {
  const closing = new AbortController();
  const { signal } = closing;
  const run = async () => {
    while (!signal.aborted) {
      await delay(interval, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await look(signal).catch(onError);
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
