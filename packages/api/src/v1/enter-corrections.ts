import { type Entry, enterCorrection, undoCorrection } from '@visitor-counter/database/occupancy/corrections';
import { CrossingsRemoved } from '@visitor-counter/database/retention/removed-before';
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

const whenExpected = 'an RFC 3339 date-time with offset that is not ahead of now';

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
      at: Type.Optional(Type.String({ description: whenExpected })),
      ...entryFields,
    }),
    status: 201,
    answer: correctionShape,
  },
  async ({ caller, origin, body: { store: sid, people, at: when, by, note = '' } }, { database, now }) => {
    const at = when === undefined ? now() : parseInstant(when);
    if (at === undefined || at > now() || at < 0) throw invalidParameter('at', whenExpected);
    const store = storeOf(await storeFacts(database.kysely, caller), sid);
    const entry = entryOf(caller, { by, note, origin });
    const id = await enterCorrection(database.kysely, { ...entry, storeId: store.id, at, people }).catch(
      refuseRemoved('at'),
    );
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
