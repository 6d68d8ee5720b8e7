import { type RawBuilder, sql } from 'kysely';

/** Joins `current.store_id`: the store that the row of `device` belongs to at an instant. */
export function joinCurrentStore(at: RawBuilder<unknown> = sql`now()`): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select store_id from device_assignment where device_id = device.id and since <= ${at}
      order by since desc limit 1
    ) current`;
}
