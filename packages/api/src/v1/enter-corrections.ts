import { type Entry, enterCorrection, undoCorrection } from '@visitor-counter/database/occupancy/corrections';
import { CrossingsRemoved } from '@visitor-counter/database/retention/removed-before';
import { KeyConflict } from '@visitor-counter/database/sql/key-conflict';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { parseInstant } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { authorOf, type Caller } from '../access/callers.ts';
import { crossingsRemoved, invalidParameter, Problem } from '../problems/problems.ts';
import { correctionOf, correctionShape } from './corrections.ts';
import { route } from './routing/route.ts';
import { storeOf } from './stores/stores.ts';

/** Who enters or undoes a correction, and their note. */
const entryFields = {
  by: Type.String({
    description: 'a name of 1 to 200 characters',
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
  }),
  note: Type.Optional(Type.String({ description: 'text of at most 2,000 characters', maxLength: 2_000 })),
};

/** More people than are ever in one store: a typing error. */
const mostPeople = 1_000_000;

const whenExpected = 'an RFC 3339 date-time with offset that is at most five minutes ahead of now';

/** How far the clock of a client may be ahead (ms); such an instant counts as now. */
const mostAhead = 5 * 60_000;

/** When an entry was made, and what the client calls it. */
export const entryKeyFields = {
  at: Type.Optional(Type.String({ description: whenExpected })),
  id: Type.Optional(
    Type.String({
      description:
        'text of 1 to 100 characters that the client makes for this entry, so that the same request again enters nothing',
      ...{ minLength: 1, maxLength: 100 },
    }),
  ),
};

/** The instant of an entry (epoch ms), and the one that was given. Throws `invalid_parameter`. */
export function readInstant(given: string | undefined, now: number) {
  if (given === undefined) return { at: now, givenAt: undefined };
  const givenAt = parseInstant(given);
  if (givenAt === undefined || givenAt > now + mostAhead || givenAt < 0)
    throw invalidParameter('at', whenExpected);
  return { at: Math.min(givenAt, now), givenAt };
}

/** Throws `id_conflict` for an id that another entry has. */
export function refuseConflict(error: unknown): never {
  throw error instanceof KeyConflict ? new Problem('id_conflict') : error;
}

/** Sets the number of people inside from an instant on. */
export const postCorrection = route(
  {
    method: 'POST',
    path: '/v1/corrections',
    summary: 'Set the number of people inside',
    kinds: ['staff'],
    body: Type.Object({
      store: Type.String({ description: 'the sid of a store', maxLength: 200 }),
      people: Type.Integer({
        description: `a whole number from 0 to ${mostPeople}`,
        ...{ minimum: 0, maximum: mostPeople },
      }),
      ...entryKeyFields,
      ...entryFields,
    }),
    status: 201,
    answer: correctionShape,
  },
  async ({ caller, origin, body }, { database, now }) => {
    const { store: sid, people, id: key, by, note = '' } = body;
    const instants = readInstant(body.at, now());
    const store = storeOf(await storeFacts(database.kysely, caller), sid);
    const entry = entryOf(caller, { by, note, origin });
    const correction = { ...entry, ...instants, storeId: store.id, people, key };
    const id = await enterCorrection(database.kysely, correction)
      .catch(refuseRemoved('at'))
      .catch(refuseConflict);
    return (await correctionOf(database.kysely, caller, id)).item;
  },
);

/** Undoes a correction; both entries remain. */
export const postUndo = route(
  {
    method: 'POST',
    path: '/v1/corrections/:id/undo',
    summary: 'Undo a correction',
    kinds: ['staff'],
    body: Type.Object(entryFields),
    answer: correctionShape,
  },
  async ({ caller, origin, path, body: { by, note = '' } }, { database }) => {
    const { correction } = await correctionOf(database.kysely, caller, path['id'] ?? '');
    const { id, store_id: storeId, at } = correction;
    const entry = entryOf(caller, { by, note, origin });
    const undone = await undoCorrection(database.kysely, { id, storeId, at }, entry).catch(
      refuseRemoved('id'),
    );
    if (!undone) throw new Problem('already_undone');
    return (await correctionOf(database.kysely, caller, id)).item;
  },
);

function entryOf(caller: Caller, { by, note, origin }: Record<'by' | 'note' | 'origin', string>): Entry {
  const author = authorOf(caller, by.trim(), origin);
  return { author, note: note.trim(), credentialId: caller.credentialId };
}

/** A correction cannot change a number that is no longer derived from crossings. */
function refuseRemoved(parameter: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof CrossingsRemoved ? crossingsRemoved(error.before, parameter) : error;
  };
}
