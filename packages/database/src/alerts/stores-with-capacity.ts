import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

export interface StoreWithCapacity {
  readonly storeId: number;
  readonly companyId: number;
  readonly sid: string;
  readonly name: string;
  readonly calendar: BusinessCalendar;
  /** The most people who may be in the store at the same time. */
  readonly capacity: number;
}

/** The stores of companies that have a capacity. */
export async function storesWithCapacity(
  db: Kysely<Schema>,
  companyIds: readonly number[],
): Promise<StoreWithCapacity[]> {
  const rows = await db
    .selectFrom('store')
    .select(['id', 'company_id', 'sid', 'name', 'time_zone', 'day_starts_at', 'capacity'])
    .where('company_id', '=', sql<number>`any(${companyIds})`)
    .where('capacity', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.flatMap((row) => {
    if (row.capacity === null) return [];
    return {
      ...{ storeId: row.id, companyId: row.company_id, sid: row.sid, name: row.name, capacity: row.capacity },
      calendar: { timeZone: row.time_zone, dayStartsAt: row.day_starts_at },
    };
  });
}
