import { type Kysely, sql, type Transaction } from 'kysely';
import { quartersPerRecord } from '../occupancy/change.ts';
import type { Database } from '../sql/connect.ts';
import { epochMs } from '../sql/instant.ts';

/** The lag of the projection behind the log. */
export interface Lag {
  /** Change records that are not applied. */
  readonly records: number;
  /** How long ago the oldest of them was written (ms); 0 if there is none. */
  readonly lag: number;
}

/** Reads the lag of the projection. */
export async function readLag({ kysely }: Pick<Database, 'kysely'>): Promise<Lag> {
  const { rows } = await sql<Lag>`
    select count(*)::integer as records,
      coalesce(extract(epoch from clock_timestamp() - min(written_at)) * 1000, 0)::float8 as lag
    from change`.execute(kysely);
  return rows[0] ?? { records: 0, lag: 0 };
}

/**
 * The instant (epoch ms) at which the oldest change record was written that the projection does not contain; undefined when
 * it contains everything that the snapshot shows.
 */
export async function unappliedSince(db: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ since: number }>`
    select ${epochMs('written_at')} as since
    from change order by id limit 1`.execute(db);
  return rows[0]?.since;
}

/**
 * Orders the projector to derive everything from crossings and corrections again, whatever it contains now. Readers see
 * the old numbers until the projector has replaced them, quarter by quarter. Returns the number of quarters. Those whose
 * crossings were removed stay as they are.
 */
export async function rebuildProjection(trx: Transaction<unknown>): Promise<number> {
  /* No pass begins before the change records are committed; see `requireCrossings`. */
  await sql`select from company order by id for share`.execute(trx);
  const { rows } = await sql<{ quarters: number }>`
    with begins as materialized (
      select store.id as store_id, floor(extract(epoch from max(removed_before)) / 900)::integer as quarter
      from store join retention_pass using (company_id) group by store.id
    ), known as (
      select distinct store_id, floor(extract(epoch from at) / 900)::integer as quarter from crossing where store_id > 0
      union select store_id, floor(extract(epoch from at) / 900)::integer from correction
      union select store_id, quarter from occupancy_quarter
      union select store_id, quarter from device_quarter
    ), kept as materialized (
      select known.* from known left join begins using (store_id)
      where known.quarter >= coalesce(begins.quarter, known.quarter)
    ), numbered as (
      select *, row_number() over (order by store_id, quarter) / ${quartersPerRecord}::integer as record from kept
    ), written as (
      insert into change (changes)
      select json_agg(json_build_array(store_id, quarter)) from numbered group by record order by record
    )
    select count(*)::integer as quarters from kept`.execute(trx);
  return rows[0]?.quarters ?? 0;
}
