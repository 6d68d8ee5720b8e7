import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Reader } from './snapshot.ts';

export interface Store {
  readonly id: number;
  readonly name: string;
  readonly calendar: BusinessCalendar;
}

/** All stores of a company, by name (code points), equal names by id. */
export async function storesOfCompany(db: Reader, companyId: number): Promise<Store[]> {
  return await sortedStores(db.selectFrom('store').where('store.company_id', '=', companyId));
}

/** The stores of a company's shop group, in the same order; undefined when the company has no such group. */
export async function storesOfShopGroup(
  db: Reader,
  companyId: number,
  nameKey: string,
): Promise<Store[] | undefined> {
  const group = await db
    .selectFrom('shop_group')
    .select('id')
    .where('company_id', '=', companyId)
    .where('name_key', '=', nameKey)
    .executeTakeFirst();
  if (group === undefined) return undefined;
  const members = db.selectFrom('shop_group_store').select('store_id').where('shop_group_id', '=', group.id);
  return await sortedStores(db.selectFrom('store').where('store.id', 'in', members));
}

/** The stores that a device was ever assigned to, in the same order: its past stays where it happened. */
export async function storesOfDevice(db: Reader, deviceId: number): Promise<Store[]> {
  const assigned = db.selectFrom('device_assignment').select('store_id').where('device_id', '=', deviceId);
  return await sortedStores(db.selectFrom('store').where('store.id', 'in', assigned));
}

async function sortedStores(stores: SelectQueryBuilder<Schema, 'store', unknown>): Promise<Store[]> {
  const rows = await stores
    .select(['store.id', 'store.name', 'store.time_zone', 'store.day_starts_at'])
    .orderBy(sql`store.name collate "C"`)
    .orderBy('store.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    calendar: { timeZone: row.time_zone, dayStartsAt: row.day_starts_at },
  }));
}
