import { nameKey } from '@visitor-counter/domain/name-key';
import { type RawBuilder, sql } from 'kysely';
import { anyOf, type Db } from '../sql/query-builder.ts';
import { calendar, inScope, joinCurrentStore, type StoreFacts, type StoreScope } from './store-facts.ts';

/** The stores of all companies, or of one, by company and sid, with the number of devices in use there. */
export async function listStores(db: Db, company?: string) {
  const devices = sql<number>`(
    select count(*) from device ${joinCurrentStore()}
    where retired_at is null and current.store_id = store.id
      and device.id in (select device_id from device_assignment where store_id = store.id)
  )`;
  return await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.companyId')
    .select(['company.name as company', 'sid', 'store.name', 'timeZone', 'dayStartsAt', 'capacity'])
    .select(devices.as('devices'))
    .$if(company !== undefined, (stores) => stores.where('company.nameKey', '=', nameKey(company ?? '')))
    .orderBy('company.nameKey')
    .orderBy('sid', (order) => order.collate('C'))
    .execute();
}

/** The stores with a sid, of all companies or of one, with the names of their companies. */
export async function findStores(db: Db, sid: string, company?: string) {
  return await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.companyId')
    .select(['store.id', 'store.companyId', 'company.name as company'])
    .where('sid', '=', sid)
    .$if(company !== undefined, (stores) => stores.where('company.nameKey', '=', nameKey(company ?? '')))
    .execute();
}

/** Whether a company, or any, has a shop group of this name. */
export async function isShopGroup(db: Db, name: string, companyId?: number): Promise<boolean> {
  const groups = db
    .selectFrom('shopGroup')
    .select('id')
    .where('nameKey', '=', nameKey(name))
    .$if(companyId !== undefined, (own) => own.where('companyId', '=', companyId ?? 0));
  return (await groups.executeTakeFirst()) !== undefined;
}

/** The sids of the stores in a column that limits something to them, sorted; null without a limit. */
export function sidsIn(column: string): RawBuilder<string[] | null> {
  const ids = sql.ref(column);
  return sql`case when ${ids} is not null
    then array(select sid from store where store.id = any(${ids}) order by sid collate "C")
  end`;
}

export type Store = Pick<StoreFacts, 'id' | 'name' | 'calendar'>;

/** The visible stores, by name (code points), equal names by id. */
export async function storesInScope(db: Db, scope: StoreScope): Promise<Store[]> {
  return await sorted(db, scope).execute();
}

/** Those of a company's shop group, in the same order; undefined if none of that name is visible. */
export async function storesOfShopGroup(
  db: Db,
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
export async function storesOfDevice(db: Db, scope: StoreScope, deviceId: number): Promise<Store[]> {
  const assigned = db.selectFrom('deviceAssignment').select('storeId').where('deviceId', '=', deviceId);
  return await sorted(db, scope).where('id', 'in', assigned).execute();
}

function sorted(db: Db, scope: StoreScope) {
  return db
    .selectFrom('store')
    .select(['id', 'name', calendar])
    .where(inScope(scope))
    .orderBy('name', (order) => order.collate('C'))
    .orderBy('id');
}

/** The id of a company's device by its serial number (as `nameKey` makes it); undefined when it has none. */
export async function findDevice(db: Db, companyId: number, serialKey: string): Promise<number | undefined> {
  const device = await db
    .selectFrom('device')
    .select('id')
    .where('companyId', '=', companyId)
    .where('serialKey', '=', serialKey)
    .executeTakeFirst();
  return device?.id;
}
