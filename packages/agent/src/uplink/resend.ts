import type { Journal } from '../journal/journal.ts';
import type { JournaledCrossing } from '../journal/record-codec.ts';

/** Which crossings: those with instants from `from` to `until`, both included (epoch ms). */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/**
 * Sends again what is kept of the acknowledged crossings of a stretch, in runs of at most `most`, one after the
 * other; the server knows them by their sequences. `send` resolves when a run was taken.
 */
export async function resend(
  journal: Journal,
  { from, until }: Stretch,
  most: number,
  send: (run: readonly JournaledCrossing[]) => Promise<void>,
): Promise<void> {
  const wanted = ({ at, sequence }: JournaledCrossing) =>
    at >= from && at <= until && sequence <= journal.acknowledged;
  for (let next = 1; next <= journal.acknowledged; ) {
    const run = await journal.read(next, most);
    const last = run.at(-1);
    if (!last) return;
    next = last.sequence + 1;
    const part = run.slice(Math.max(0, run.findIndex(wanted)), run.findLastIndex(wanted) + 1);
    if (part.length > 0) await send(part);
  }
}
