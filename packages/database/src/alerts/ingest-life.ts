import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
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
    since = case when seen_at >= now() - make_interval(secs => $1::integer) then least(since, now()) else now() end,
    seen_at = now()`;

export async function readIngestLife(db: Kysely<DB>): Promise<IngestLife> {
  const { since, seenAt, alive } = await db
    .selectFrom('ingestLife')
    .select(['since', 'seenAt'])
    .select(
      sql<boolean>`coalesce(seen_at >= now() - make_interval(secs => ${ingestPatience}), false)`.as('alive'),
    )
    .executeTakeFirstOrThrow();
  const never = Number.NEGATIVE_INFINITY;
  return { alive, since: since ?? never, seenAt: seenAt ?? never };
}
