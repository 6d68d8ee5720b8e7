import { type Entry, enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import Type from 'typebox';
import { authorOf, type Caller } from '../access/callers.ts';
import { Problem } from '../problems/problems.ts';
import { correctionShape, corrections } from './corrections.ts';
import {
  entryKeyFields,
  entryNote,
  personName,
  readInstant,
  refuseConflict,
  refuseRemoved,
} from './routing/entries.ts';
import { route } from './routing/route.ts';
import { storeSid } from './routing/shapes.ts';
import { visibleEntry } from './stores/list-entries.ts';
import { storeOf } from './stores/stores.ts';

/** More people than are ever in one store: a typing error. */
const mostPeople = 1_000_000;

/** Sets the number of people inside from an instant on. */
export const postCorrection = route(
  {
    method: 'POST',
    path: '/v1/corrections',
    summary: 'Set the number of people inside',
    kinds: ['staff'],
    body: Type.Object({
      store: storeSid,
      people: Type.Integer({
        description: `a whole number from 0 to ${mostPeople}`,
        minimum: 0,
        maximum: mostPeople,
      }),
      ...entryKeyFields,
      by: personName,
      note: entryNote,
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
    const id = await enterEntry(database.kysely, 'correction', correction)
      .catch(refuseRemoved('at'))
      .catch(refuseConflict);
    return (await visibleEntry(corrections, database.kysely, caller, id)).item;
  },
);

/** Undoes a correction; both entries remain. */
export const postUndo = route(
  {
    method: 'POST',
    path: '/v1/corrections/:id/undo',
    summary: 'Undo a correction',
    kinds: ['staff'],
    body: Type.Object({ by: personName, note: entryNote }),
    answer: correctionShape,
  },
  async ({ caller, origin, path, body: { by, note = '' } }, { database }) => {
    const { kysely } = database;
    const { entry: correction } = await visibleEntry(corrections, kysely, caller, path['id'] ?? '');
    const entry = entryOf(caller, { by, note, origin });
    const undone = await undoEntry(kysely, 'correction', correction, entry).catch(refuseRemoved('id'));
    if (!undone) throw new Problem('already_undone');
    return (await visibleEntry(corrections, kysely, caller, correction.id)).item;
  },
);

function entryOf(caller: Caller, { by, note, origin }: Record<'by' | 'note' | 'origin', string>): Entry {
  const author = authorOf(caller, by.trim(), origin);
  return { author, note: note.trim(), credentialId: caller.credentialId };
}
