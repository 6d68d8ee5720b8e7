import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import { allOf } from '../sql/conditions.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
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

/** The visible stores, by sid (code points). */
export async function storeFacts(db: Kysely<DB>, { companyId, storeIds }: StoreScope): Promise<StoreFacts[]> {
  const { rows } = await sql<StoreFacts>`
    select store.id, store.sid, store.name, store.address, store.city, ${calendar}, store.capacity,
      ${groups}
    from store
    where store.company_id = ${companyId}
      and (${storeIds}::integer[] is null or store.id = any(${storeIds}::integer[]))
    order by store.sid collate "C"`.execute(db);
  return rows;
}

/** The column `calendar` of a row of `store`: a BusinessCalendar. */
export const calendar = sql`
  json_build_object('timeZone', store.time_zone, 'dayStartsAt', store.day_starts_at) as calendar`;

/** The column `groups` of a row of `store`: the names of its shop groups, sorted. */
export const groups = sql`
  array(
    select shop_group.name from shop_group_store member join shop_group on shop_group.id = member.shop_group_id
    where member.store_id = store.id order by shop_group.name collate "C"
  ) as groups`;

/** What can change in a store, by its id: its name, calendar and capacity; after a restore also its company. */
export async function storeDetails(db: Kysely<DB>, storeIds: readonly number[]) {
  type Row = Pick<StoreFacts, 'id' | 'name' | 'calendar' | 'capacity'> & { readonly companyId: number };
  const { rows } = await sql<Row>`
    select id, company_id as "companyId", name, ${calendar}, capacity
    from store where id = any(${storeIds}::integer[])`.execute(db);
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
    select assigned.store_id as "storeId", device.serial, device.name,
      retired_at is null and current.store_id = assigned.store_id as "isPresent",
      ${epochMs('greatest(registered_at, assigned.since)')} as since
    from (
      select store_id, device_id, min(since) as since from device_assignment
      where store_id = any(${numberArray(storeIds)}::integer[])
      group by store_id, device_id
    ) assigned
    join device on device.id = assigned.device_id
    ${joinCurrentStore(sql`${timestamp(now)}::timestamptz`)}
    order by device.name collate "C", device.serial collate "C"`.execute(db);
  return rows;
}

/** A store as an operator sees it. */
interface ListedStore extends BusinessCalendar {
  readonly company: string;
  readonly sid: string;
  readonly name: string;
  readonly capacity: number | null;
  /** How many devices in use belong to it now. */
  readonly devices: number;
}

/** The stores of all companies, or of one, by company and sid. */
export async function listStores(db: Kysely<DB>, company?: string): Promise<ListedStore[]> {
  const key = company === undefined ? null : nameKey(company);
  const { rows } = await sql<ListedStore>`
    select company.name as company, sid, store.name, time_zone as "timeZone", day_starts_at as "dayStartsAt",
      capacity, coalesce(present.devices, 0)::integer as devices
    from store join company on company.id = store.company_id
    left join (
      select store_id, count(*) as devices
      from device ${joinCurrentStore()}
      where retired_at is null group by store_id
    ) present on present.store_id = store.id
    where ${key}::text is null or company.name_key = ${key}
    order by company.name_key, sid collate "C"`.execute(db);
  return rows;
}

/** A store and the name of its company. */
export interface StoreOfCompany {
  readonly id: number;
  readonly company: string;
}

/** The stores with a sid, of all companies or of one. */
export async function findStores(db: Kysely<DB>, sid: string, company?: string): Promise<StoreOfCompany[]> {
  const ofCompany = company !== undefined && sql`company.name_key = ${nameKey(company)}`;
  const { rows } = await sql<StoreOfCompany>`
    select store.id, company.name as company from store join company on company.id = store.company_id
    where ${allOf(sql`sid = ${sid}`, ofCompany)}`.execute(db);
  return rows;
}

/** Whether any company has a shop group of this name. */
export async function isShopGroup(db: Kysely<DB>, name: string): Promise<boolean> {
  const { rows } = await sql`select from shop_group where name_key = ${nameKey(name)} limit 1`.execute(db);
  return rows.length > 0;
}

/** The id of a company, found by its name key inside a statement. */
export function companyId(companyKey: string): RawBuilder<number> {
  return sql`(select id from company where name_key = ${companyKey})`;
}

/** The id of one of a company's stores. */
export function storeId(companyKey: string, sid: string): RawBuilder<number> {
  return sql`(select id from store where company_id = ${companyId(companyKey)} and sid = ${sid})`;
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
