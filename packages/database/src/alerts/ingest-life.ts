import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** Ingest counts as unavailable when no gateway has reported for this long (s). */
const ingestPatience = 10;

/**
 * Since when at least one gateway has been able to store messages without interruption, and whether one is able now.
 */
export interface IngestLife {
  readonly alive: boolean;
  /** Epoch ms; meaningless unless `alive`. */
  readonly since: number;
  /** Epoch ms; -Infinity before the first gateway. */
  readonly seenAt: number;
}

/** Records that a gateway can store messages. Call it every few seconds, well within `ingestPatience`. */
export async function recordIngestLife(pool: Pool): Promise<void> {
  await pool.query({ name: 'record-ingest-life', text: recordStatement, values: [ingestPatience] });
}

/** Both columns are ahead of the present if the clock was set back since then. */
const recordStatement = `
  update ingest_life set
    since = case when seen_at < now() - make_interval(secs => $1::integer) then now()
      else least(since, now()) end,
    seen_at = now()`;

export async function readIngestLife(db: Kysely<DB>): Promise<IngestLife> {
  const { rows } = await sql<IngestLife>`
    select seen_at >= now() - make_interval(secs => ${ingestPatience}::integer) as alive,
      ${epochMs('since')} as since,
      ${epochMs('seen_at')} as "seenAt"
    from ingest_life`.execute(db);
  const [life] = rows;
  if (life === undefined) throw new Error('the table ingest_life has no row');
  return life;
}
