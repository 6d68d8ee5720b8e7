import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { Journal } from '../journal/journal.ts';

/** Both included. */
export type SequenceRange = [first: number, last: number];

/** The crossings to send again: those of a range of sequences with instants in a range (epoch ms); bounds included. */
export interface ResendScope {
  readonly first: number;
  readonly last: number;
  readonly from?: number;
  readonly until?: number;
}

/** Some consecutive crossings to send, and the sequences before or after them that the journal no longer has. */
export interface ResendPart {
  readonly crossings: readonly NumberedCrossing[];
  readonly missing: readonly SequenceRange[];
  /** The sequence to continue with. */
  readonly next: number;
}

/** Reads the crossings of a scope from the journal, at most `most` at a time. Rejects when it cannot be read. */
export async function* readForResend(
  journal: Pick<Journal, 'read'>,
  { first, last, from = 0, until = Number.POSITIVE_INFINITY }: ResendScope,
  most: number,
): AsyncGenerator<ResendPart> {
  const isWanted = ({ at }: NumberedCrossing) => at >= from && at <= until;
  let before = Number.NEGATIVE_INFINITY;
  for (let next = first; next <= last; ) {
    const read = await journal.read(next, Math.min(most, last - next + 1));
    const batch = read.filter(({ sequence }) => sequence <= last);
    const gapEnd = (batch[0]?.sequence ?? last + 1) - 1;
    const after = batch[0]?.at ?? Number.POSITIVE_INFINITY;
    /* A gap between two crossings before the range of instants, or two after it, is outside of it. */
    const isAboutRange = gapEnd >= next && after >= from && before <= until;
    const crossings = batch.slice(Math.max(0, batch.findIndex(isWanted)), batch.findLastIndex(isWanted) + 1);
    const missing: SequenceRange[] = isAboutRange ? [[next, gapEnd]] : [];
    before = batch.at(-1)?.at ?? before;
    next = (batch.at(-1)?.sequence ?? last) + 1;
    yield { crossings, missing, next };
  }
}
