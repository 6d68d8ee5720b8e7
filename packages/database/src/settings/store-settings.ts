import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import { type Kysely, sql } from 'kysely';
import { anyOf } from '../sql/arrays.ts';
import type { DB } from '../sql/schema.ts';

/** The opening hours of those of the stores that have some; the others are always open. Equal hours are one object. */
export async function openingHoursOf(
  db: Kysely<DB>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, OpeningHours>> {
  const { rows } = await sql<{ hours: OpeningHours; ids: number[] }>`
    select opening_hours::text::json as hours, array_agg(id) as ids from store
    where id = ${anyOf(storeIds)} and opening_hours is not null group by opening_hours::text`.execute(db);
  return new Map(rows.flatMap(({ hours, ids }) => ids.map((id) => [id, hours] as const)));
}
