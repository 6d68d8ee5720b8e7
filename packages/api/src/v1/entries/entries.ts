import Type from 'typebox';
import { instant, orNull, text } from '../routing/shapes.ts';
import { entryRoutes } from './entry-routes.ts';

/** What staff counted: it sets the number of people inside from an instant on. */
export const corrections = entryRoutes({
  kind: 'correction',
  path: '/v1/corrections',
  summaries: {
    list: 'What staff counted',
    enter: 'Set the number of people inside',
    undo: 'Undo a correction',
  },
  least: 0,
  /* More people than are ever in one store: a typing error. */
  most: 1_000_000,
  isSigned: true,
  shape: Type.Object(
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
  ),
  hidden: ['undone.note', 'undone.credential'],
  itemOf: (correction, store, format) => {
    const { undoneBy: by, undoneNote: note, undoneAt: at, undoneCredential: credential } = correction;
    return {
      id: correction.id,
      store,
      at: format(correction.at),
      people: correction.people,
      by: correction.enteredBy,
      note: correction.note,
      enteredAt: format(correction.enteredAt),
      credential: correction.credential,
      undone: by === null || at === null ? null : { by, note: note ?? '', at: format(at), credential },
    };
  },
});

/** Staff who come in: they are subtracted from visitors, never from the people inside. */
export const passages = entryRoutes({
  kind: 'passage',
  path: '/v1/staff-passages',
  summaries: {
    list: 'Staff who were left out of visitors',
    enter: 'Leave staff who come in out of visitors',
    undo: 'Undo a staff passage',
  },
  least: 1,
  most: 1_000,
  isSigned: false,
  shape: Type.Object(
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
  ),
  hidden: [],
  itemOf: ({ id, at, people, enteredBy: by, enteredAt, undoneBy }, store, format) => ({
    id,
    store,
    at: format(at),
    people,
    by,
    enteredAt: format(enteredAt),
    undone: undoneBy === null ? null : { by: undoneBy },
  }),
});
