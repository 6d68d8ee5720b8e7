import type { EntryFacts } from '@visitor-counter/database/entries/entries';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { route } from './routing/route.ts';
import { instant, listOf, orNull, text } from './routing/shapes.ts';
import { entriesQuery, pageOfEntries, type ShownEntries } from './stores/list-entries.ts';

export const correctionShape = Type.Object(
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

export const corrections: ShownEntries = { kind: 'correction', itemOf: correctionItem };

/** What staff counted, the last entered first, with what was undone. */
export const getCorrections = route(
  {
    method: 'GET',
    path: '/v1/corrections',
    summary: 'What staff counted',
    kinds: ['counts', 'staff'],
    query: entriesQuery,
    answer: listOf(correctionShape),
    columns: [
      'id',
      'store',
      'at',
      'people',
      'by',
      'note',
      'enteredAt',
      'credential',
      'undone.by',
      'undone.at',
    ],
  },
  async ({ caller, query }, { database }) => pageOfEntries(corrections, database.kysely, caller, query),
);

/** A correction in an answer. */
function correctionItem(correction: EntryFacts, { sid, calendar }: StoreFacts) {
  const format = zonedFormatter(calendar.timeZone);
  const { undone_by: by, undone_note: note, undone_at: at, undone_credential: credential } = correction;
  return {
    id: Number(correction.id),
    store: sid,
    at: format(correction.at),
    people: correction.people,
    by: correction.entered_by,
    note: correction.note,
    enteredAt: format(correction.entered_at),
    credential: correction.credential,
    undone: by === null || at === null ? null : { by, note: note ?? '', at: format(at), credential },
  };
}
