import { type Kysely, sql } from 'kysely';
import { ingestPatience } from '../devices/connections.ts';
import type { DB } from '../sql/schema.ts';

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
