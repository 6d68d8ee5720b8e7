import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import { anyOf } from '../sql/arrays.ts';
import { instant } from '../sql/instant.ts';
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
export async function storeFacts(db: Kysely<DB>, scope: StoreScope): Promise<StoreFacts[]> {
  return await db
    .selectFrom('store')
    .select(['id', 'sid', 'name', 'address', 'city', 'capacity', calendar, groups])
    .where(inScope(scope))
    .orderBy('sid', (order) => order.collate('C'))
    .execute();
}

/** The calendar of a row of `store`. */
const calendar = sql<BusinessCalendar>`
  json_build_object('timeZone', store.time_zone, 'dayStartsAt', store.day_starts_at)`.as('calendar');

/** The names of the shop groups of a row of `store`, sorted. */
const groups = sql<string[]>`
  array(
    select shop_group.name from shop_group_store member join shop_group on shop_group.id = member.shop_group_id
    where member.store_id = store.id order by shop_group.name collate "C"
  )`.as('groups');

/** What can change in a store, by its id: its name, calendar and capacity; after a restore also its company. */
export async function storeDetails(db: Kysely<DB>, storeIds: readonly number[]) {
  const rows = await db
    .selectFrom('store')
    .select(['id', 'companyId', 'name', calendar, 'capacity'])
    .where('id', '=', anyOf(storeIds))
    .execute();
  return new Map(rows.map(({ id, companyId, ...details }) => [id, { companyId, details }]));
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
export async function doorsOfStores(
  db: Kysely<DB>,
  storeIds: readonly number[],
  now: number,
): Promise<Door[]> {
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

/** The stores of all companies, or of one, by company and sid, with the number of devices in use there. */
export async function listStores(db: Kysely<DB>, company?: string) {
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
export async function findStores(db: Kysely<DB>, sid: string, company?: string) {
  return await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.companyId')
    .select(['store.id', 'company.name as company'])
    .where('sid', '=', sid)
    .$if(company !== undefined, (stores) => stores.where('company.nameKey', '=', nameKey(company ?? '')))
    .execute();
}

/** Whether any company has a shop group of this name. */
export async function isShopGroup(db: Kysely<DB>, name: string): Promise<boolean> {
  const groups = db.selectFrom('shopGroup').select('id').where('nameKey', '=', nameKey(name));
  return (await groups.executeTakeFirst()) !== undefined;
}

/** The id of a company, found by its name key inside a statement. */
export function companyId(companyKey: string): RawBuilder<number> {
  return sql`(select id from company where name_key = ${companyKey})`;
}

/** The id of one of a company's stores. */
export function storeId(companyKey: string, sid: string): RawBuilder<number> {
  return sql`(select id from store where company_id = ${companyId(companyKey)} and sid = ${sid})`;
}

/** The ids of some of a company's stores, for a column that limits something to them; null: no limit. */
export function storeIdsOf(companyKey: string, sids: readonly string[] | null): RawBuilder<number[]> | null {
  return (
    sids &&
    sql`array(
    select id from store where company_id = ${companyId(companyKey)} and sid = any(${[...sids]}::text[]) order by id
  )`
  );
}

/** The sids of the stores in such a column, sorted. */
export function sidsIn(column: string): RawBuilder<string[] | null> {
  const ids = sql.ref(column);
  return sql`case when ${ids} is not null
    then array(select sid from store where store.id = any(${ids}) order by sid collate "C")
  end`;
}

/** The id of a device, found by its serial in exact spelling. */
export function deviceId(serial: string): RawBuilder<number> {
  return sql`(select id from device where serial = ${serial})`;
}

/** Joins `current.store_id`: the store that the row of `device` belongs to at an instant. */
export function joinCurrentStore(at: RawBuilder<unknown> = sql`now()`): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select store_id from device_assignment where device_id = device.id and since <= ${at}
      order by since desc limit 1
    ) current`;
}
