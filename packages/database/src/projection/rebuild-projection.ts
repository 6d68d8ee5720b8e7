import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/**
 * Orders the projector to derive everything from crossings and corrections again, whatever it is now. Readers see
 * the old numbers until the projector has replaced them, quarter by quarter. Returns the number of quarters.
 */
export async function rebuildProjection(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ quarters: number }>`
    with known as (
      select distinct store_id, floor(extract(epoch from at) / 900)::integer as quarter from crossing where store_id > 0
      union select store_id, floor(extract(epoch from at) / 900)::integer from correction
      union select store_id, quarter from occupancy_quarter
      union select store_id, quarter from device_quarter
    ), numbered as (
      select *, row_number() over (order by store_id, quarter) / ${perRecord}::integer as record from known
    ), written as (
      insert into change (changes)
      select json_agg(json_build_array(store_id, quarter)) from numbered group by record order by record
    )
    select count(*)::integer as quarters from known`.execute(db);
  return rows[0]?.quarters ?? 0;
}

/** Quarters in one change record. */
const perRecord = 50;
