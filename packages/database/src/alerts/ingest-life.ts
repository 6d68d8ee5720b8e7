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
export async function recordIngestLife(pool: Pool, gatewayId: string): Promise<void> {
  const values = [gatewayId, ingestPatience];
  await pool.query({ name: 'record-ingest-life', text: recordStatement, values });
}

/** Both columns are ahead of the present if the clock was set back since then. */
const recordStatement = `
  insert into gateway (id, seen_at, believed_until, storing_at, storing_since)
  select $1, now(), now(), now(), least(now(), min(storing_since))
  from gateway where storing_at >= now() - make_interval(secs => $2::integer)
  on conflict (id) do update set storing_at = excluded.storing_at, storing_since = excluded.storing_since`;

export async function readIngestLife(db: Kysely<DB>): Promise<IngestLife> {
  const isStoring = sql<boolean>`storing_at >= now() - make_interval(secs => ${ingestPatience})`;
  const { alive, since, seenAt } = await db
    .selectFrom('gateway')
    .select(({ fn }) => [
      sql<boolean>`coalesce(bool_or(${isStoring}), false)`.as('alive'),
      fn.min('storingSince').filterWhere(isStoring).as('since'),
      fn.max('storingAt').as('seenAt'),
    ])
    .executeTakeFirstOrThrow();
  const never = Number.NEGATIVE_INFINITY;
  return { alive, since: since ?? never, seenAt: seenAt ?? never };
}
