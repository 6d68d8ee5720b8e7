import { clockOffset } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import { useLoaded } from './loaded.tsx';

/**
 * Returns a function that returns the time of the server (epoch ms). The page reads the clock of the server when this part of
 * it is first shown. Only if the server does not answer, it uses the clock of the live stream, whose last event can be hours
 * old, as when a phone wakes.
 */
export function useServerTime(live: LiveState): () => number {
  const { value: ahead } = useLoaded(clockOffset, []);
  return () => (ahead === undefined ? live.serverTime() : Date.now() + ahead);
}
