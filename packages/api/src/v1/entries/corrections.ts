import type { EntryFacts } from '@visitor-counter/database/entries/entries';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { instant, listOf, noOtherFields, orNull, storeSid, text } from '../routing/shapes.ts';
import {
  enter,
  entriesQuery,
  entryKeyFields,
  entryNote,
  pageOfEntries,
  personName,
  type ShownEntries,
  undo,
} from './entries.ts';

const correctionShape = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the entry.' }),
    store: text('Store id.'),
    at: instant('From this instant on the number continues from this one.'),
    people: Type.Integer({ description: 'How many people were inside.', minimum: 0 }),
    by: text('Who counted.'),
    note: text('Their note.'),
    enteredAt: instant('When it was entered.'),
    credential: orNull(text('Label of the credential.')),
    undone: orNull(
      Type.Object({
        by: text('Who undid it.'),
        note: text('Their note.'),
        at: instant('When.'),
        credential: orNull(text('Label of the credential.')),
      }),
    ),
  },
  { $id: 'Correction' },
);

const corrections: ShownEntries = { kind: 'correction', itemOf: correctionItem };

/** What staff counted, the last entered first, with what was undone. */
export const getCorrections = route(
  {
    method: 'GET',
    path: '/v1/corrections',
    summary: 'What staff counted',
    kinds: ['counts', 'staff'],
    query: entriesQuery,
    answer: listOf(correctionShape),
    columns: columnsOf(correctionShape, 'undone.note', 'undone.credential'),
  },
  async ({ caller, query }, { database }) => pageOfEntries(corrections, database.kysely, caller, query),
);

/** More people than are ever in one store: a typing error. */
const mostPeople = 1_000_000;

/** Sets the number of people inside from an instant on. */
export const postCorrection = route(
  {
    method: 'POST',
    path: '/v1/corrections',
    summary: 'Set the number of people inside',
    kinds: ['staff'],
    body: Type.Object(
      {
        store: storeSid,
        people: Type.Integer({
          description: `a whole number from 0 to ${mostPeople}`,
          minimum: 0,
          maximum: mostPeople,
        }),
        ...entryKeyFields,
        by: personName,
        note: entryNote,
      },
      noOtherFields,
    ),
    status: 201,
    answer: correctionShape,
  },
  async (request, resources) => {
    const body = { note: '', ...request.body };
    return await enter(corrections, { ...request, body }, resources);
  },
);

/** Undoes a correction; both entries remain. */
export const postUndo = route(
  {
    method: 'POST',
    path: '/v1/corrections/:id/undo',
    summary: 'Undo a correction',
    kinds: ['staff'],
    body: Type.Object({ by: personName, note: entryNote }, noOtherFields),
    answer: correctionShape,
  },
  async (request, resources) => {
    const body = { note: '', ...request.body };
    return await undo(corrections, { ...request, body }, resources);
  },
);

/** A correction in an answer. */
function correctionItem(correction: EntryFacts, { sid, calendar }: StoreFacts) {
  const format = zonedFormatter(calendar.timeZone);
  const { undoneBy: by, undoneNote: note, undoneAt: at, undoneCredential: credential } = correction;
  return {
    id: correction.id,
    store: sid,
    at: format(correction.at),
    people: correction.people,
    by: correction.enteredBy,
    note: correction.note,
    enteredAt: format(correction.enteredAt),
    credential: correction.credential,
    undone: by === null || at === null ? null : { by, note: note ?? '', at: format(at), credential },
  };
}
