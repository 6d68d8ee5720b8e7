import { boundedInstant } from '@visitor-counter/domain/instant';
import type { Kysely } from 'kysely';
import pg from 'pg';
import type { Schema } from '../tables/schema.ts';
import { queryBuilder } from './query-builder.ts';

/** A pool of connections and the query builder over it. */
export interface Database {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Schema>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** How long a query may take before its connection is closed (ms); without bound when left out. */
  readonly queryDeadline?: number;
  /** How long the server lets a statement run before it cancels it (ms); without bound when left out. */
  readonly statementTimeout?: number;
  /** Called when an idle connection breaks; the pool replaces it automatically. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * The planner settings of this product make costs look very high, and a server that can compile statements (`jit`, as in
 * Debian's packages) then compiles each of them for up to a second, to run it for a millisecond.
 */
export const withoutCompiling = 'set jit = off';

/** How long to wait for a connection before the database counts as unavailable (ms). */
const connectDeadline = 5_000;

/** Opens a pool on a PostgreSQL URL. Nothing is sent before the first query. */
export function connect(url: string, options: ConnectOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: connectDeadline,
    keepAlive: true,
    onConnect: async (client) => void (await client.query(withoutCompiling)),
    types: { getTypeParser: typeParser },
    ...(options.queryDeadline && { query_timeout: options.queryDeadline }),
    ...(options.statementTimeout && { statement_timeout: options.statementTimeout }),
  });
  pool.on('error', options.onIdleError ?? (() => {}));
  pool.on('connect', surviveLoss);
  const kysely = queryBuilder({
    connect: () => pool.connect(),
    giveBack: (client, error) => client.release(error),
    end: () => pool.end(),
  });
  return { pool, kysely, close: () => closeBoth(pool, kysely) };
}

type TypeParser = ReturnType<typeof pg.types.getTypeParser>;

/**
 * Reads a timestamptz as a Date within the years that every reader can write. The driver reads `infinity` as a
 * number, and years after 275760 as an invalid Date: one such row would make each answer that contains it fail.
 */
function typeParser(oid: number, format?: 'text' | 'binary'): TypeParser {
  const parse: TypeParser = pg.types.getTypeParser(oid, format);
  if (oid !== pg.types.builtins.TIMESTAMPTZ) return parse;
  return (text: string) => {
    const parsed: unknown = parse(text);
    const instant = parsed instanceof Date ? parsed.getTime() : Number(parsed);
    const outOfRange = text.endsWith('BC') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    return new Date(boundedInstant(Number.isNaN(instant) ? outOfRange : instant));
  };
}

/** The query builder ends the pool only when it has used it. */
async function closeBoth(pool: pg.Pool, kysely: Kysely<Schema>): Promise<void> {
  await kysely.destroy();
  if (!pool.ending) await pool.end();
}

/**
 * A connection that breaks between two statements emits `error`, which ends the process if there is no listener. The
 * caller gets the error from its next statement.
 */
function surviveLoss(client: pg.PoolClient): void {
  client.on('error', () => {});
}
