import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';

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
export interface Sight {
  readonly companyId: number;
  readonly storeIds: readonly number[] | null;
}

/** The visible stores, by sid (code points). */
export async function storeFacts(db: Reader, { companyId, storeIds }: Sight): Promise<StoreFacts[]> {
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

interface StoreRow extends Omit<StoreFacts, 'calendar'> {
  readonly time_zone: string;
  readonly day_starts_at: string;
}
