import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';
import type { KnownStores } from './known-stores.ts';
import type { Sight } from './store-facts.ts';

export interface Store {
  readonly id: number;
  readonly name: string;
  readonly calendar: BusinessCalendar;
}

/** The stores that are seen, by name (code points), equal names by id; always the same objects until a store changes. */
export async function storesInSight(db: Reader, sight: Sight, known: KnownStores): Promise<readonly Store[]> {
  return await known.list(db, sight, () => sortedStores(db, sight));
}

/** Those of a company's shop group, in the same order; undefined when none of that name is seen. */
export async function storesOfShopGroup(
  db: Reader,
  sight: Sight,
  nameKey: string,
): Promise<Store[] | undefined> {
  const group = await db
    .selectFrom('shop_group')
    .select('id')
    .where('company_id', '=', sight.companyId)
    .where('name_key', '=', nameKey)
    .executeTakeFirst();
  if (group === undefined) return undefined;
  const members = sql<number>`select store_id from shop_group_store where shop_group_id = ${group.id}`;
  const stores = await sortedStores(db, sight, members);
  return stores.length === 0 && sight.storeIds !== null ? undefined : stores;
}

/** Those that a device was ever assigned to, in the same order: its past stays where it happened. */
export async function storesOfDevice(db: Reader, sight: Sight, deviceId: number): Promise<Store[]> {
  const assigned = sql<number>`select store_id from device_assignment where device_id = ${deviceId}`;
  return await sortedStores(db, sight, assigned);
}

async function sortedStores(
  db: Reader,
  { companyId, storeIds }: Sight,
  among?: RawBuilder<number>,
): Promise<Store[]> {
  let stores = db.selectFrom('store').where('store.company_id', '=', companyId);
  if (storeIds !== null) stores = stores.where('store.id', '=', sql<number>`any(${storeIds}::integer[])`);
  if (among) stores = stores.where('store.id', 'in', sql<number>`(${among})`);
  const rows = await stores
    .select(['store.id', 'store.name', 'store.time_zone', 'store.day_starts_at'])
    .orderBy(sql`store.name collate "C"`)
    .orderBy('store.id')
    .execute();
  let calendar: BusinessCalendar = { timeZone: '', dayStartsAt: '' };
  return rows.map(({ id, name, time_zone: timeZone, day_starts_at: dayStartsAt }) => {
    /* Most stores of a company share one calendar: then they share the object. */
    if (calendar.timeZone !== timeZone || calendar.dayStartsAt !== dayStartsAt)
      calendar = { timeZone, dayStartsAt };
    return { id, name, calendar };
  });
}
