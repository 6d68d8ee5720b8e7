import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { keepAlive, requirePrimary, withoutCompiling } from './open-client.ts';
import { queryBuilder } from './query-builder.ts';
import type { DB } from './schema.ts';
import { types } from './type-parsers.ts';

/** A pool of connections, and Kysely over it, which binds the values of statements and runs transactions. */
export interface Database {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<DB>;
  close(): Promise<void>;
}

interface ConnectOptions {
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** Connections that stay open while they are idle; without this all are closed after ten seconds. */
  readonly minConnections?: number;
  /** The server refuses statements that write, and may be a standby. */
  readonly readOnly?: boolean;
  /** How long a query may take before its connection is closed (ms); without bound when left out. */
  readonly queryDeadline?: number;
  /** How long the server lets a statement run before it cancels it (ms); without bound when left out. */
  readonly statementTimeout?: number;
  /** Prepares each text: for processes that run few of them. */
  readonly prepared?: boolean;
  /** SQL that each connection runs first. */
  readonly settings?: string;
  /** Called when an idle connection breaks; the pool replaces it automatically. */
  readonly onIdleError?: (error: Error) => void;
}

const onlyReading = 'set default_transaction_read_only = on';

/** A statement ends within a second after its connection was closed. Servers on Windows cannot know that. */
const endWithConnection = `do $$begin
  perform set_config('client_connection_check_interval', '1s', false);
exception when invalid_parameter_value then null;
end$$`;

/** How long to wait for a connection before the database counts as unavailable (ms). */
const connectDeadline = 5_000;

/** Opens a pool on a PostgreSQL URL. Nothing is sent before the first query. */
export function connect(url: string, options: ConnectOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    min: options.minConnections ?? 0,
    connectionTimeoutMillis: connectDeadline,
    ...keepAlive,
    onConnect: (client) => configure(client, options),
    types,
    ...(options.queryDeadline && { query_timeout: options.queryDeadline }),
  });
  pool.on('error', options.onIdleError ?? (() => {}));
  pool.on('connect', surviveLoss);
  const kysely = queryBuilder({
    connect: () => pool.connect(),
    release: (client, error) => client.release(error),
    end: () => pool.end(),
    prepared: options.prepared,
  });
  return { pool, kysely, close: () => closeBoth(pool, kysely) };
}

/**
 * Sets what other drivers send as startup parameters, which poolers refuse. Without a deadline, a server that stops answering
 * now would occupy a connection of the pool for ever.
 */
async function configure(client: pg.ClientBase, options: ConnectOptions): Promise<void> {
  const { applicationName, readOnly, statementTimeout, settings } = options;
  const text = [
    withoutCompiling,
    endWithConnection,
    /* A restore recognises services by it, so an application_name in the URL must not replace it. */
    `set application_name = ${pg.escapeLiteral(applicationName)}`,
    readOnly ? onlyReading : requirePrimary,
    ...(statementTimeout ? [`set statement_timeout = ${statementTimeout}`] : []),
    ...(settings ? [settings] : []),
  ].join('; ');
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: connectDeadline };
  await client.query(query);
}

/** The query builder ends the pool only when it has used it. */
async function closeBoth(pool: pg.Pool, kysely: Kysely<DB>): Promise<void> {
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

/** How long the database may take to answer, with the wait for a connection and for locks (ms). */
const deadline = 1_500;

/** How long the server lets the statement wait for a lock (ms). */
const lockWait = 1_000;

/** Whether the database answers, and lets these tables be read, within 1.5 s; it reads no row. */
export async function canRead({ pool }: Database, tables: readonly string[]): Promise<boolean> {
  const reads = tables.map((table) => `select from ${table} limit 0`);
  const text = [`set local lock_timeout = ${lockWait}`, ...reads].join('; ');
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: deadline };
  const answers = pool.query(query).then(
    () => true,
    () => false,
  );
  return await Promise.race([answers, delay(deadline, false, { ref: false })]);
}
