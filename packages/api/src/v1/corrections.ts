import {
  type CorrectionFacts,
  type Entry,
  enterCorrection,
  findCorrection,
  listCorrections,
  undoCorrection,
} from '@visitor-counter/database/occupancy/corrections';
import { CrossingsRemoved } from '@visitor-counter/database/retention/removed-before';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { parseInstant } from '@visitor-counter/domain/time';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { authorOf, type Caller } from '../access/callers.ts';
import { crossingsRemoved, invalidParameter, Problem, unknownResource } from '../problems/problems.ts';
import { route } from './routing/route.ts';
import {
  day,
  instant,
  limit,
  listOf,
  mostItems,
  orNull,
  requireOrder,
  storeFilter,
  text,
} from './routing/shapes.ts';
import { requestedStores, storeOf } from './stores/stores.ts';

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

/** What staff counted, the last entered first, with what was undone. */
export const getCorrections = route(
  {
    method: 'GET',
    path: '/v1/corrections',
    summary: 'What staff counted',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      ...{ store: storeFilter, from: day, to: day, limit: limit() },
      after: Type.Optional(Type.String({ description: 'what `next` was', pattern: '^\\d{1,15}$' })),
    }),
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
  async ({ caller, query }, { database }) => {
    const { from, to, after, limit: requested = mostItems } = query;
    requireOrder(query);
    const stores = await requestedStores(database.kysely, caller, query.store);
    const byId = new Map(stores.map((store) => [store.id, { store, range: rangeOf(store, from, to) }]));
    const ranges = [...byId.values()].map(({ range }) => range);
    const found = await listCorrections(database.kysely, {
      storeIds: [...byId.keys()],
      from: Math.min(...ranges.map((range) => range.from)),
      to: Math.max(...ranges.map((range) => range.to)),
      before: after,
      limit: requested + 1,
    });
    const items = found.slice(0, requested).flatMap((correction) => {
      const { store, range } = byId.get(correction.store_id) ?? {};
      const isWithin = range && correction.at >= range.from && correction.at < range.to;
      return store && isWithin ? [correctionItem(correction, store)] : [];
    });
    const next = found.length > requested ? (found[requested - 1]?.id ?? null) : null;
    return { items, next };
  },
);

/** The business days from `from` to `to` of a store (epoch ms). */
function rangeOf({ calendar }: StoreFacts, from: string | undefined, to: string | undefined) {
  return {
    from: from === undefined ? 0 : businessDayStart(from, calendar),
    to: to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  };
}

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
async function correctionOf(db: Reader, caller: Caller, id: string) {
  const stores = await storeFacts(db, caller);
  const storeIds = stores.map((store) => store.id);
  const found = /^\d{1,15}$/.test(id) ? await findCorrection(db, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === found?.store_id);
  if (found === undefined || store === undefined) throw unknownResource('correction', 'id');
  return { correction: found, item: correctionItem(found, store) };
}
