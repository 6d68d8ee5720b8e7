/**
 * Whether the numbers on the page are what the server says now.
 *
 * `connecting`: nothing was heard yet. `live`: they are. `stale`: the server answers, but is away from its
 * database. `lost`: nothing was heard for a while. What is shown while it is not `live` says so.
 */
export type Contact = 'connecting' | 'live' | 'stale' | 'lost';

/** What is known of the stream. Times in ms of any one clock. */
export interface Heard {
  readonly at: number | undefined;
  readonly fresh: boolean;
}

/** Three beats of the server, which come every five seconds (ms). */
export const patience = 15_000;

export function contactOf({ at, fresh }: Heard, now: number): Contact {
  if (at === undefined) return 'connecting';
  if (now - at > patience) return 'lost';
  return fresh ? 'live' : 'stale';
}

/** ms */
const firstPause = 1_000;
const longestPause = 30_000;

/** The pause before the n-th attempt (from 1) to connect again (ms): doubling, all of it at random. */
export function pauseBefore(attempt: number, random: number): number {
  return Math.round(Math.min(firstPause * 2 ** attempt, longestPause) * random);
}
