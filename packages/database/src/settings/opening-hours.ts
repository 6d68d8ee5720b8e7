import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import { type Kysely, sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';

/** The opening hours of those of the stores that have some; the others are always open. Equal hours are one object. */
export async function openingHoursOf(
  db: Kysely<unknown>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, OpeningHours>> {
  const { rows } = await sql<{ hours: OpeningHours; ids: number[] }>`
    select hours::text::json as hours, array_agg(store_id) as ids from opening_hours
    where store_id = any(${numberArray(storeIds)}::integer[]) group by hours::text`.execute(db);
  return new Map(rows.flatMap(({ hours, ids }) => ids.map((id) => [id, hours] as const)));
}

/** Sets the opening hours of a store; null: always open. */
export async function writeOpeningHours(
  db: Kysely<unknown>,
  storeId: number,
  hours: OpeningHours | null,
): Promise<void> {
  if (hours === null) {
    await sql`delete from opening_hours where store_id = ${storeId}`.execute(db);
    return;
  }
  await sql`
    insert into opening_hours (store_id, hours) values (${storeId}, ${JSON.stringify(hours)})
    on conflict (store_id) do update set hours = excluded.hours`.execute(db);
}
