import { setTimeout as delay } from 'node:timers/promises';

/** Does something again and again, one after the other with `pause` ms between them; errors go to `onError`. */
export function repeat(
  pause: number,
  onError: (error: unknown) => void,
  work: () => Promise<void>,
): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const done = run();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await work().catch(onError);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
}
