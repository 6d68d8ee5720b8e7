import {
  type CorrectionFacts,
  findCorrection,
  listCorrections,
} from '@visitor-counter/database/occupancy/corrections';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import type { Caller } from '../access/callers.ts';
import { unknownResource } from '../problems/problems.ts';
import { route } from './routing/route.ts';
import {
  afterEntry,
  day,
  firstPage,
  instant,
  limit,
  listOf,
  mostItems,
  orNull,
  requireOrder,
  storeFilter,
  text,
} from './routing/shapes.ts';
import { hull, instantsOf, isWithin } from './stores/instants.ts';
import { requestedStores } from './stores/stores.ts';

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

/** What staff counted, the last entered first, with what was undone. */
export const getCorrections = route(
  {
    method: 'GET',
    path: '/v1/corrections',
    summary: 'What staff counted',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      ...{ store: storeFilter, from: day, to: day, limit: limit(), after: afterEntry },
    }),
    answer: listOf(correctionShape),
    columns: [
      ...['id', 'store', 'at', 'people', 'by', 'note', 'enteredAt', 'credential'],
      ...['undone.by', 'undone.at'],
    ],
  },
  async ({ caller, query }, { database }) => {
    const { after: before, limit: requested = mostItems } = query;
    requireOrder(query);
    const stores = await requestedStores(database.kysely, caller, query.store);
    const byId = new Map(stores.map((store) => [store.id, { store, range: instantsOf(store, query) }]));
    const wanted = { ...hull([...byId.values()].map(({ range }) => range)), before, limit: requested + 1 };
    const found = await listCorrections(database.kysely, { ...wanted, storeIds: [...byId.keys()] });
    const { items, next } = firstPage(found, requested, ({ id }) => id);
    const shown = items.flatMap((correction) => {
      const { store, range } = byId.get(correction.store_id) ?? {};
      return store && isWithin(range, correction.at) ? [correctionItem(correction, store)] : [];
    });
    return { items: shown, next };
  },
);

/** A correction in an answer. */
function correctionItem(correction: CorrectionFacts, { sid, calendar }: StoreFacts) {
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
  const stores = await storeFacts(db, caller);
  const storeIds = stores.map((store) => store.id);
  const found = /^\d{1,15}$/.test(id) ? await findCorrection(db, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === found?.store_id);
  if (found === undefined || store === undefined) throw unknownResource('correction', 'id');
  return { correction: found, item: correctionItem(found, store) };
}
