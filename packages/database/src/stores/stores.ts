import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { allOf } from '../sql/conditions.ts';

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
export async function storeFacts(
  db: Kysely<unknown>,
  { companyId, storeIds }: StoreScope,
): Promise<StoreFacts[]> {
  const { rows } = await sql<StoreRow>`
    select store.id, store.sid, store.name, store.address, store.city, store.time_zone, store.day_starts_at,
      store.capacity,
      array(
        select shop_group.name from shop_group_store member
        join shop_group on shop_group.id = member.shop_group_id
        where member.store_id = store.id order by shop_group.name collate "C"
      ) as groups
    from store
    where store.company_id = ${companyId}
      and (${storeIds}::integer[] is null or store.id = any(${storeIds}::integer[]))
    order by store.sid collate "C"`.execute(db);
  return rows.map(({ time_zone, day_starts_at, ...same }) => ({
    ...same,
    calendar: { timeZone: time_zone, dayStartsAt: day_starts_at },
  }));
}

/** The capacity of each of these stores. */
export async function capacitiesOf(
  db: Kysely<unknown>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  const { rows } = await sql<{ id: number; capacity: number | null }>`
    select id, capacity from store where id = any(${storeIds}::integer[])`.execute(db);
  return new Map(rows.map(({ id, capacity }) => [id, capacity]));
}

interface StoreRow extends Omit<StoreFacts, 'calendar'> {
  readonly time_zone: string;
  readonly day_starts_at: string;
}

export interface Store {
  readonly id: number;
  readonly name: string;
  readonly calendar: BusinessCalendar;
}

/** The visible stores, by name (code points), equal names by id; always the same objects until a store changes. */
export async function storesInScope(
  db: Kysely<unknown>,
  scope: StoreScope,
  known: KnownStores,
): Promise<readonly Store[]> {
  return await known.list(db, scope, () => sortedStores(db, scope));
}

/** Those of a company's shop group, in the same order; undefined if none of that name is visible. */
export async function storesOfShopGroup(
  db: Kysely<unknown>,
  scope: StoreScope,
  nameKey: string,
): Promise<Store[] | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from shop_group where company_id = ${scope.companyId} and name_key = ${nameKey}`.execute(db);
  const [group] = rows;
  if (group === undefined) return undefined;
  const members = sql`select store_id from shop_group_store where shop_group_id = ${group.id}`;
  const stores = await sortedStores(db, scope, members);
  return stores.length === 0 && scope.storeIds !== null ? undefined : stores;
}

/**
 * The visible stores that a device was ever assigned to, in the same order: its past crossings stay in their stores.
 */
export async function storesOfDevice(
  db: Kysely<unknown>,
  scope: StoreScope,
  deviceId: number,
): Promise<Store[]> {
  const assigned = sql`select store_id from device_assignment where device_id = ${deviceId}`;
  return await sortedStores(db, scope, assigned);
}

async function sortedStores(
  db: Kysely<unknown>,
  { companyId, storeIds }: StoreScope,
  among?: RawBuilder<unknown>,
): Promise<Store[]> {
  const { rows } = await sql<Pick<Store, 'id' | 'name'> & BusinessCalendar>`
    select id, name, time_zone as "timeZone", day_starts_at as "dayStartsAt" from store
    where ${allOf(
      sql`company_id = ${companyId}`,
      storeIds !== null && sql`id = any(${storeIds}::integer[])`,
      among && sql`id in (${among})`,
    )}
    order by name collate "C", id`.execute(db);
  let calendar: BusinessCalendar = { timeZone: '', dayStartsAt: '' };
  return rows.map(({ id, name, timeZone, dayStartsAt }) => {
    /* Most stores of a company share one calendar: then they share the object. */
    if (calendar.timeZone !== timeZone || calendar.dayStartsAt !== dayStartsAt)
      calendar = { timeZone, dayStartsAt };
    return { id, name, calendar };
  });
}

/** The id of a company's device by its serial number (as `nameKey` makes it); undefined when it has none. */
export async function findDevice(
  db: Kysely<unknown>,
  companyId: number,
  serialKey: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from device where company_id = ${companyId} and serial_key = ${serialKey}`.execute(db);
  return rows[0]?.id;
}

interface KnownList {
  readonly version: string;
  readonly stores: readonly Store[];
}

/** The most stores in the cache; a list counts as one more. 200 bytes each. */
const remembered = 50_000;

/**
 * A cache of the lists of visible stores. A list is valid as long as the version of the stores is the one at which it
 * was read, which every reader checks.
 */
export class KnownStores {
  readonly #lists = new LRUCache<string, KnownList>({
    maxSize: remembered,
    sizeCalculation: ({ stores }) => stores.length + 1,
  });

  /**
   * The result of `read`, cached until stores change. `db` must be a snapshot, so that the version belongs to the
   * list.
   */
  async list(
    db: Kysely<unknown>,
    { companyId, storeIds }: StoreScope,
    read: () => Promise<readonly Store[]>,
  ): Promise<readonly Store[]> {
    const { rows } = await sql<{ version: string }>`select version from store_version`.execute(db);
    const version = rows[0]?.version ?? '';
    const key = `${companyId} ${storeIds === null ? 'all' : storeIds.join()}`;
    const known = this.#lists.get(key);
    if (known?.version === version) return known.stores;
    const stores = await read();
    this.#lists.set(key, { version, stores });
    return stores;
  }
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
