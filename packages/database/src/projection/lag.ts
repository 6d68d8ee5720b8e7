import { sql } from 'kysely';
import type { Database } from '../sql/connect.ts';
import type { Reader } from '../sql/snapshot.ts';

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
export async function unappliedSince(db: Reader): Promise<number | undefined> {
  const { rows } = await sql<{ since: number }>`
    select (extract(epoch from written_at) * 1000)::float8 as since
    from change order by id limit 1`.execute(db);
  return rows[0]?.since;
}
