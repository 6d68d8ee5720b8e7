import { KeyConflict } from '@visitor-counter/database/entries/entries';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import { parseInstant } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { crossingsRemoved, invalidParameter, Problem } from '../../problems/problems.ts';

/* What entries that staff make have in common: corrections, staff passages, and in part audits of doors. */

/** Who makes an entry. */
export const personName = Type.String({
  description: 'a name of 1 to 200 characters',
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
});

export const entryNote = Type.Optional(
  Type.String({
    description: 'text of at most 2,000 characters',
    maxLength: 2_000,
    contentMediaType: 'text/plain',
  }),
);

const whenExpected = 'an RFC 3339 date-time with offset, from 1970 on and at most five minutes ahead of now';

/** How far the clock of a client may be ahead (ms); such an instant counts as now. */
const mostAhead = 5 * 60_000;

/** When an entry was made, and what the client calls it. */
export const entryKeyFields = {
  at: Type.Optional(Type.String({ description: whenExpected })),
  id: Type.Optional(
    Type.String({
      description:
        'text of 1 to 100 characters that the client makes for this entry, so that the same request again enters nothing',
      minLength: 1,
      maxLength: 100,
    }),
  ),
};

/** The instant of an entry (epoch ms), and the one that was given. Throws `invalid_parameter`. */
export function readInstant(given: string | undefined, now: number) {
  if (given === undefined) return { at: now, givenAt: undefined };
  const givenAt = parseInstant(given);
  if (givenAt === undefined || givenAt > now + mostAhead || givenAt < 0)
    throw invalidParameter('at', given, whenExpected);
  return { at: Math.min(givenAt, now), givenAt };
}

/** Throws `id_conflict` for an id that another entry has, and `crossings_removed` where the crossings were removed. */
export function refused(parameter: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof KeyConflict) throw new Problem('id_conflict');
    throw error instanceof CrossingsRemoved ? crossingsRemoved(error.before, parameter) : error;
  };
}
