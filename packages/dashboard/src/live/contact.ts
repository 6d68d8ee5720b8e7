/**
 * Whether the numbers on the page are current.
 *
 * `connecting`: no event yet. `live`: they are current. `stale`: the server answers, but its database is unavailable.
 * `lost`: no recent event. The page shows every state except `live` clearly.
 */
export type Contact = 'connecting' | 'live' | 'stale' | 'lost';

/** The last event of the stream. Times in ms of one clock. */
export interface LastEvent {
  readonly at: number | undefined;
  readonly fresh: boolean;
}

/** Three beats of the server, which come every five seconds (ms). */
export const patience = 15_000;

export function contactOf({ at, fresh }: LastEvent, now: number): Contact {
  if (at === undefined) return 'connecting';
  if (now - at > patience) return 'lost';
  return fresh ? 'live' : 'stale';
}

/** ms */
const firstPause = 1_000;
const longestPause = 30_000;

/** The pause before the n-th attempt (from 1) to reconnect (ms): random, up to a limit that doubles. */
export function pauseBefore(attempt: number, random: number): number {
  return Math.round(Math.min(firstPause * 2 ** attempt, longestPause) * random);
}
