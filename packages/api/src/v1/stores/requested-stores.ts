import type { Db } from '@visitor-counter/database/sql/query-builder';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { Caller } from '../../access/callers.ts';
import { invalidParameter, unknownResource } from '../../problems/problems.ts';
import type { Resources } from '../../resources.ts';
import type { RouteRequest } from '../routing/route.ts';
import { requireOrder } from '../routing/shapes.ts';

/**
 * The stores that a caller sees, by sid, or those of a shop group, or the requested one. Throws `unknown_store`,
 * `unknown_group`, and `invalid_parameter` for a store that is not in the group.
 */
export async function requestedStores(
  db: Db,
  caller: Caller,
  sid: string | undefined,
  group?: string,
): Promise<StoresById> {
  const all = await storeFacts(db, caller);
  const stores = inGroup(all, group);
  if (sid === undefined) return storesById(stores);
  const store = storeOf(all, sid);
  if (!stores.includes(store)) throw invalidParameter('store', sid, 'a store of the group that is given');
  return storesById([store]);
}

/** Stores by the ids that rows of the database have. */
export type StoresById = ReturnType<typeof storesById>;

function storesById(all: readonly StoreFacts[]) {
  const byId = new Map(all.map((store) => [store.id, store]));
  const of = (id: number): StoreFacts => {
    const store = byId.get(id);
    if (store === undefined) throw new Error(`a row of store ${id}, which was not requested`);
    return store;
  };
  return { all, ids: [...byId.keys()], of };
}

/** The store whose sid is in the path of a request. Throws `unknown_store`. */
export async function storeInPath(
  { caller, path }: Pick<RouteRequest<unknown, unknown>, 'caller' | 'path'>,
  { database }: Pick<Resources, 'database'>,
): Promise<StoreFacts> {
  return storeOf(await storeFacts(database.kysely, caller), path['sid'] ?? '', 'sid');
}

/** What the routes of reports have in common: they read ranges, from a replica if there is one. */
export const report = { method: 'GET', kinds: ['counts', 'staff'], places: 'exports' } as const;

/** The business days and the stores that a report is about. */
interface ReportQuery {
  readonly from?: string;
  readonly to?: string;
  readonly store?: string;
  readonly group?: string;
}

/**
 * What `read` returns for the database at one instant, the requested stores and the present (epoch ms). Throws what `requireOrder` and
 * `requestedStores` throw.
 */
export async function readReport<Report>(
  { caller, query, signal }: Pick<RouteRequest<ReportQuery, unknown>, 'caller' | 'query' | 'signal'>,
  { snapshots, now }: Resources,
  read: (db: Db, stores: readonly StoreFacts[], now: number) => Promise<Report>,
): Promise<Report> {
  const at = now();
  requireOrder(query);
  await using snapshot = await snapshots.open(signal);
  const { all } = await requestedStores(snapshot.db, caller, query.store, query.group);
  return await read(snapshot.db, all, at);
}

/** Those of the stores that are in a shop group, if one is given. Throws `unknown_group`. */
function inGroup(stores: readonly StoreFacts[], group: string | undefined): readonly StoreFacts[] {
  if (group === undefined) return stores;
  const key = nameKey(group);
  const members = stores.filter(({ groups }) => groups.some((name) => nameKey(name) === key));
  if (members.length === 0) throw unknownResource('group', 'group');
  return members;
}

/** The name of a shop group of the stores as it is stored. Throws `unknown_group`. */
export function groupOf(stores: readonly StoreFacts[], group: string): string {
  const names = inGroup(stores, group).flatMap(({ groups }) => groups);
  return names.find((name) => nameKey(name) === nameKey(group)) ?? group;
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
