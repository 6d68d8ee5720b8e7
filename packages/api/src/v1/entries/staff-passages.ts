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
  pageOfEntries,
  personName,
  type ShownEntries,
  undo,
} from './entries.ts';

const passageShape = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the entry.' }),
    store: text('Store id.'),
    at: instant('When they came in.'),
    people: Type.Integer({ description: 'How many.', minimum: 1 }),
    by: text('Who entered it.'),
    enteredAt: instant('When it was entered.'),
    undone: orNull(Type.Object({ by: text('Who undid it.') })),
  },
  { $id: 'StaffPassage' },
);

const passages: ShownEntries = { kind: 'passage', itemOf: passageItem };

const by = Type.Optional(personName);

/** Staff who come in: they are subtracted from visitors, never from the people inside. */
export const postStaffPassage = route(
  {
    method: 'POST',
    path: '/v1/staff-passages',
    summary: 'Leave staff who come in out of visitors',
    kinds: ['staff'],
    body: Type.Object(
      {
        store: storeSid,
        people: Type.Optional(
          Type.Integer({ description: 'a whole number from 1 to 1000', minimum: 1, maximum: 1_000 }),
        ),
        ...entryKeyFields,
        by,
      },
      noOtherFields,
    ),
    status: 201,
    answer: passageShape,
  },
  async (request, resources) => {
    const body = { people: 1, ...request.body };
    return await enter(passages, { ...request, body }, resources);
  },
);

/** Undoes a staff passage; both entries remain. */
export const postUndoPassage = route(
  {
    method: 'POST',
    path: '/v1/staff-passages/:id/undo',
    summary: 'Undo a staff passage',
    kinds: ['staff'],
    body: Type.Object({ by }, noOtherFields),
    answer: passageShape,
  },
  async (request, resources) => undo(passages, request, resources),
);

/** The staff passages of business days, the last entered first, with what was undone. */
export const getStaffPassages = route(
  {
    method: 'GET',
    path: '/v1/staff-passages',
    summary: 'Staff who were left out of visitors',
    kinds: ['counts', 'staff'],
    query: entriesQuery,
    answer: listOf(passageShape),
    columns: columnsOf(passageShape),
  },
  async ({ caller, query }, { database }) => pageOfEntries(passages, database.kysely, caller, query),
);

function passageItem(passage: EntryFacts, { sid, calendar }: StoreFacts) {
  const format = zonedFormatter(calendar.timeZone);
  const { id, at, people, enteredBy: by, enteredAt, undoneBy } = passage;
  return {
    id,
    store: sid,
    at: format(at),
    people,
    by,
    enteredAt: format(enteredAt),
    undone: undoneBy === null ? null : { by: undoneBy },
  };
}
