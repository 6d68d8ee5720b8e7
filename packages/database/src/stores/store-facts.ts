import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';

/** A store as the read interface shows it. */
export interface StoreFacts {
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly address: string;
  readonly city: string;
  readonly calendar: BusinessCalendar;
  /** The most people who may be inside; null if no limit is known. */
  readonly capacity: number | null;
  /** The names of its shop groups, sorted. */
  readonly groups: readonly string[];
}

/** Which stores a caller sees: all of a company, or some of them. */
export interface StoreScope {
  readonly companyId: number;
  readonly storeIds: readonly number[] | null;
}

/** The condition that a caller sees the store. */
export function inScope({ companyId, storeIds }: StoreScope) {
  return (eb: ExpressionBuilder<DB, 'store'>) => {
    const isOwn = eb('store.companyId', '=', companyId);
    return storeIds === null ? isOwn : isOwn.and('store.id', '=', anyOf(storeIds));
  };
}

/** The visible stores, by sid (code points). */
export async function storeFacts(db: Db, scope: StoreScope): Promise<StoreFacts[]> {
  return await db
    .selectFrom('store')
    .select(['id', 'sid', 'name', 'address', 'city', 'capacity', calendar, groups])
    .where(inScope(scope))
    .orderBy('sid', (order) => order.collate('C'))
    .execute();
}

/** The calendar of a row of `store`. */
export const calendar = sql<BusinessCalendar>`
  json_build_object('timeZone', store.time_zone, 'dayStartsAt', store.day_starts_at)`.as('calendar');

/** The names of the shop groups of a row of `store`, sorted. */
const groups = sql<string[]>`
  array(
    select shop_group.name from shop_group
    where shop_group.company_id = store.company_id and store.id = any(store_ids) order by shop_group.name collate "C"
  )`.as('groups');

/** What can change in a store, by its id: its name, calendar and capacity. */
export async function storeDetails(db: Db, storeIds: readonly number[]) {
  const rows = await db
    .selectFrom('store')
    .select(['id', 'name', calendar, 'capacity'])
    .where('id', '=', anyOf(storeIds))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A device that is or was in a store. */
interface Door {
  readonly storeId: number;
  readonly serial: string;
  readonly name: string;
  /** It is in the store now and not retired. */
  readonly isPresent: boolean;
  /** When it came into the store for the first time, and was registered (epoch ms). */
  readonly since: number;
}

/** The devices that were ever in stores, by name; `now` in epoch ms. */
export async function doorsOfStores(db: Db, storeIds: readonly number[], now: number): Promise<Door[]> {
  const { rows } = await sql<Door>`
    select assigned.store_id, device.serial, device.name, greatest(registered_at, assigned.since) as since,
      retired_at is null and current.store_id = assigned.store_id as is_present
    from (
      select store_id, device_id, min(since) as since from device_assignment
      where store_id = ${anyOf(storeIds)} group by store_id, device_id
    ) assigned
    join device on device.id = assigned.device_id
    ${joinCurrentStore(instant(now))}
    order by device.name collate "C", device.serial collate "C"`.execute(db);
  return rows;
}

/** Joins `current.store_id`: the store that the row of `device` belongs to at an instant. */
export function joinCurrentStore(at: RawBuilder<unknown> = sql`now()`): RawBuilder<unknown> {
  return sql`cross join store_at(device.id, ${at}) current`;
}
