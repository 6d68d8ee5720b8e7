import { sql } from 'kysely';
import type { Database } from '../sql/connect.ts';

/** How far the projection is behind what is stored. */
export interface Lag {
  /** Change records that are not applied. */
  readonly records: number;
  /** How long ago the oldest of them was written (ms); 0 if there is none. */
  readonly lag: number;
}

/** Reads how far the projection is behind. */
export async function readLag({ kysely }: Pick<Database, 'kysely'>): Promise<Lag> {
  const { rows } = await sql<Lag>`
    select count(*)::integer as records,
      coalesce(extract(epoch from clock_timestamp() - min(written_at)) * 1000, 0)::float8 as lag
    from change`.execute(kysely);
  return rows[0] ?? { records: 0, lag: 0 };
}
