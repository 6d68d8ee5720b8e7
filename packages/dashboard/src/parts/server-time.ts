import { clockOffset } from '../data/calls.ts';
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
