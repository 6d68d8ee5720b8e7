import type { LiveState } from '../data/live.ts';
import { useLoaded } from './loaded.tsx';

/**
 * Returns a function that returns the time of the server (epoch ms), which is asked for it when this part of the page is
 * first shown. The clock of the live stream is used only if the server does not answer: its last event can be hours old, as
 * when a phone wakes.
 */
export function useServerTime(live: LiveState): () => number {
  const { value: ahead } = useLoaded(clockOffset, []);
  return () => (ahead === undefined ? live.serverTime() : Date.now() + ahead);
}

/**
 * How far the server's clock is ahead of this device's (ms), to half a second; 0 if it does not say. Throws if the server is
 * unreachable.
 */
export async function clockOffset(): Promise<number> {
  const begun = Date.now();
  const answer = await fetch('/v1/session', { signal: AbortSignal.timeout(10_000) });
  const server = Date.parse(answer.headers.get('date') ?? '');
  /* The header has whole seconds. */
  return Number.isNaN(server) ? 0 : Math.round(server + 500 - (begun + Date.now()) / 2);
}
