import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { allOf } from '../sql/conditions.ts';
import type { DB } from '../sql/schema.ts';
import type { StoreFacts, StoreScope } from './stores.ts';

export type Store = Pick<StoreFacts, 'id' | 'name' | 'calendar'>;

/** The visible stores, by name (code points), equal names by id; always the same objects until a store changes. */
export async function storesInScope(
  db: Kysely<DB>,
  scope: StoreScope,
  known: KnownStores,
): Promise<readonly Store[]> {
  return await known.list(db, scope, () => sortedStores(db, scope));
}

/** Those of a company's shop group, in the same order; undefined if none of that name is visible. */
export async function storesOfShopGroup(
  db: Kysely<DB>,
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
export async function storesOfDevice(db: Kysely<DB>, scope: StoreScope, deviceId: number): Promise<Store[]> {
  const assigned = sql`select store_id from device_assignment where device_id = ${deviceId}`;
  return await sortedStores(db, scope, assigned);
}

async function sortedStores(
  db: Kysely<DB>,
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
  db: Kysely<DB>,
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
    db: Kysely<DB>,
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
