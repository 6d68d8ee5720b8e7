import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { keepAlive, requirePrimary, types, withoutCompiling } from './open-client.ts';
import { type Db, queryBuilder } from './query-builder.ts';

/** A pool of connections, and Kysely over it, which binds the values of statements and runs transactions. */
export interface Database {
  readonly pool: pg.Pool;
  readonly kysely: Db;
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
async function closeBoth(pool: pg.Pool, kysely: Db): Promise<void> {
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

/** Whether the database answers, and lets these tables be read, within 1.5 s; it reads no row. */
export async function canRead({ pool }: Database, tables: readonly string[]): Promise<boolean> {
  const text = tables.map((table) => `select from ${table} limit 0`).join('; ');
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: deadline };
  const answers = pool.query(query).then(
    () => true,
    () => false,
  );
  return await Promise.race([answers, delay(deadline, false, { ref: false })]);
}

/** Why a replica must not be used. */
class UnusableReplica extends Error {
  override readonly name = 'UnusableReplica';
}

/** Polling interval for what the replica has replayed (ms). */
const replayInterval = 50;

/**
 * How long a standby takes until it has replayed what its primary has written now (ms). Throws an UnusableReplica if that
 * takes longer than `maxLag` (ms), and for a server that is not a standby of this primary.
 */
export async function replicaLag(
  primary: Database,
  replica: Database,
  maxLag: number,
  signal?: AbortSignal,
): Promise<number> {
  const begun = performance.now();
  const written = await readPosition(primary);
  for (;;) {
    const { isStandby, server, isReached } = await readState(replica, written.position);
    if (!isStandby) throw new UnusableReplica('it is not a standby');
    if (server !== written.server) throw new UnusableReplica('it is a standby of another server');
    const lag = performance.now() - begun;
    if (isReached) return lag;
    if (lag >= maxLag) throw new UnusableReplica(`it is more than ${maxLag / 1_000} s behind`);
    await delay(replayInterval, undefined, { signal });
  }
}

const server = sql`(select system_identifier from pg_control_system())::text`;

async function readPosition({ kysely }: Database) {
  const { rows } = await sql<{ position: string; server: string }>`
    select pg_current_wal_flush_lsn() as position, ${server} as server`.execute(kysely);
  return rows[0] ?? { position: '0/0', server: '' };
}

async function readState({ kysely }: Database, position: string) {
  const { rows } = await sql<{ isStandby: boolean; server: string; isReached: boolean | null }>`
    select pg_is_in_recovery() as "isStandby", ${server} as server,
      pg_last_wal_replay_lsn() >= ${position} as "isReached"`.execute(kysely);
  return rows[0] ?? { isStandby: false, server: '', isReached: null };
}
