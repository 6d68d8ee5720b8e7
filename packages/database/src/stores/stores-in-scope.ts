import type { Kysely } from 'kysely';
import { anyOf } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import { calendar, inScope, type StoreFacts, type StoreScope } from './store-facts.ts';

export type Store = Pick<StoreFacts, 'id' | 'name' | 'calendar'>;

/** The visible stores, by name (code points), equal names by id. */
export async function storesInScope(db: Kysely<DB>, scope: StoreScope): Promise<Store[]> {
  return await sorted(db, scope).execute();
}

/** Those of a company's shop group, in the same order; undefined if none of that name is visible. */
export async function storesOfShopGroup(
  db: Kysely<DB>,
  scope: StoreScope,
  nameKey: string,
): Promise<Store[] | undefined> {
  const group = await db
    .selectFrom('shopGroup')
    .select('storeIds')
    .where('companyId', '=', scope.companyId)
    .where('nameKey', '=', nameKey)
    .executeTakeFirst();
  if (group === undefined) return undefined;
  const stores = await sorted(db, scope).where('id', '=', anyOf(group.storeIds)).execute();
  return stores.length === 0 && scope.storeIds !== null ? undefined : stores;
}

/**
 * The visible stores that a device was ever assigned to, in the same order: its past crossings stay in their stores.
 */
export async function storesOfDevice(db: Kysely<DB>, scope: StoreScope, deviceId: number): Promise<Store[]> {
  const assigned = db.selectFrom('deviceAssignment').select('storeId').where('deviceId', '=', deviceId);
  return await sorted(db, scope).where('id', 'in', assigned).execute();
}

function sorted(db: Kysely<DB>, scope: StoreScope) {
  return db
    .selectFrom('store')
    .select(['id', 'name', calendar])
    .where(inScope(scope))
    .orderBy('name', (order) => order.collate('C'))
    .orderBy('id');
}

/** The id of a company's device by its serial number (as `nameKey` makes it); undefined when it has none. */
export async function findDevice(
  db: Kysely<DB>,
  companyId: number,
  serialKey: string,
): Promise<number | undefined> {
  const device = await db
    .selectFrom('device')
    .select('id')
    .where('companyId', '=', companyId)
    .where('serialKey', '=', serialKey)
    .executeTakeFirst();
  return device?.id;
}
