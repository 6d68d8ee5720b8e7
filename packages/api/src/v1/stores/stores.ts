import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { type Opening, readOpening } from '@visitor-counter/database/visitors/opening';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { invalidParameter, unknownResource } from '../../problems/problems.ts';
import { columnsOf } from '../routing/list-columns.ts';
import { type RouteResources, route } from '../routing/route.ts';
import { after, count, limit, listOf, orNull, page, requireOrder, text, time } from '../routing/shapes.ts';

/** Whether a store is open now. */
export const openingShape = {
  open: orNull(Type.Boolean({ description: 'Open now; null: it has no opening hours.' })),
  opensOn: orNull(
    Type.String({ description: 'The local date on which a closed store opens next.', format: 'date' }),
  ),
  opensAt: orNull(text('The local time HH:MM at which it opens then.')),
};

const storeShape = Type.Object(
  {
    sid: text('Store id, unique in the company.'),
    name: text('Name of the store.'),
    address: text('Its address.'),
    city: text('Its city.'),
    timeZone: text('IANA time zone.'),
    dayStartsAt: text('Local time HH:MM at which the business day begins.'),
    capacity: orNull(count('Capacity in people.')),
    groups: Type.Array(Type.String(), { description: 'Shop groups that it is in.' }),
    ...openingShape,
    openToday: orNull(
      Type.Array(Type.Object({ from: time('When it opens.'), to: time('When it closes.') }), {
        description: 'When it is open on the present business day; null: it has no opening hours.',
      }),
    ),
  },
  { $id: 'Store' },
);

const kinds = ['counts', 'life-signal', 'staff'] as const;

/** The stores that the caller sees. */
export const getStores = route(
  {
    method: 'GET',
    path: '/v1/stores',
    summary: 'Stores',
    kinds,
    query: Type.Object({ after, limit: limit() }),
    answer: listOf(storeShape),
    columns: columnsOf(storeShape, 'groups'),
  },
  async ({ caller, query }, { database, now }) => {
    const stores = await storeFacts(database.kysely, caller);
    const { items, next } = page(stores, ({ sid }) => sid, query);
    const opening = await readOpening(database.kysely, items);
    const at = now();
    return { items: items.map((store) => storeItem(store, opening, at)), next };
  },
);

export const getStore = route(
  { method: 'GET', path: '/v1/stores/:sid', summary: 'One store', kinds, answer: storeShape },
  async ({ caller, path }, { database, now }) => {
    const store = storeOf(await storeFacts(database.kysely, caller), path['sid'] ?? '', 'sid');
    const opening = await readOpening(database.kysely, [store]);
    return storeItem(store, opening, now());
  },
);

function storeItem(store: StoreFacts, opening: Opening, now: number) {
  const { sid, name, address, city, calendar, capacity, groups } = store;
  const format = zonedFormatter(calendar.timeZone);
  const times = opening.timesOnDayOf(store, now);
  return {
    sid,
    name,
    address,
    city,
    ...calendar,
    capacity,
    groups,
    ...opening.stateAt(store, now),
    openToday: times?.map(({ from, to }) => ({ from: format(from), to: format(to) })) ?? null,
  };
}

/**
 * The stores that a caller sees, by sid, or those of a shop group, or the requested one. Throws `unknown_store`,
 * `unknown_group`, and `invalid_parameter` for a store that is not in the group.
 */
export async function requestedStores(
  db: Kysely<unknown>,
  caller: Caller,
  sid: string | undefined,
  group?: string,
): Promise<readonly StoreFacts[]> {
  const all = await storeFacts(db, caller);
  const stores = inGroup(all, group);
  if (sid === undefined) return stores;
  const store = storeOf(all, sid);
  if (!stores.includes(store)) throw invalidParameter('store', sid, 'a store of the group that is given');
  return [store];
}

/** The business days and the stores that a report is about. */
interface ReportQuery {
  readonly from?: string;
  readonly to?: string;
  readonly store?: string;
  readonly group?: string;
}

/**
 * What `read` returns for a snapshot, the requested stores and the present (epoch ms). Like an export it takes one of the
 * slots for reading ranges. Throws what `requireOrder` and `requestedStores` throw.
 */
export async function readReport<Report>(
  { caller, query }: { readonly caller: Caller; readonly query: ReportQuery },
  { snapshots, exports, now }: RouteResources,
  read: (snapshot: Snapshot, stores: readonly StoreFacts[], now: number) => Promise<Report>,
): Promise<Report> {
  const at = now();
  requireOrder(query);
  using _slot = await exports.acquire(caller);
  return await snapshots.read(async (snapshot) => {
    const stores = await requestedStores(snapshot.db, caller, query.store, query.group);
    return await read(snapshot, stores, at);
  });
}

/** Those of the stores that are in a shop group, if one is given. Throws `unknown_group`. */
export function inGroup(stores: readonly StoreFacts[], group: string | undefined): readonly StoreFacts[] {
  if (group === undefined) return stores;
  const key = nameKey(group);
  const members = stores.filter(({ groups }) => groups.some((name) => nameKey(name) === key));
  if (members.length === 0) throw unknownResource('group', 'group');
  return members;
}

/**
 * The store whose sid is written so, or else in another Unicode normal form, as some programs and file systems write
 * letters with marks. Throws `unknown_store`.
 */
export function storeOf(stores: readonly StoreFacts[], sid: string, parameter = 'store'): StoreFacts {
  const key = cleanName(sid);
  const store = stores.find((one) => one.sid === sid) ?? stores.find((one) => cleanName(one.sid) === key);
  if (store === undefined) throw unknownResource('store', parameter);
  return store;
}
