import { type CorrectionFacts, findCorrection } from '@visitor-counter/database/occupancy/list-corrections';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';
import { instant, orNull } from '../routing/shapes.ts';
import { requestedStores } from '../stores/requested-stores.ts';

const text = (description: string) => Type.String({ description });

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

/** Who enters or undoes a correction, and their note. */
export const entryFields = {
  by: Type.String({
    description: 'a name of 1 to 200 characters',
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
  }),
  note: Type.Optional(Type.String({ description: 'text of at most 2,000 characters', maxLength: 2_000 })),
};

/** A correction in an answer. */
export function correctionItem(correction: CorrectionFacts, { sid, calendar }: StoreFacts) {
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

/** A correction that the caller sees, stored and as in an answer. Throws `unknown_correction`. */
export async function correctionOf(db: Reader, caller: Caller, id: string) {
  const stores = await requestedStores(db, caller, undefined);
  const storeIds = stores.map((store) => store.id);
  const found = /^\d{1,15}$/.test(id) ? await findCorrection(db, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === found?.store_id);
  if (found === undefined || store === undefined) throw unknownResource('correction', 'id');
  return { correction: found, item: correctionItem(found, store) };
}
