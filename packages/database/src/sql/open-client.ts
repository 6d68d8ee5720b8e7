import { boundedInstant } from '@visitor-counter/domain/time';
import pg from 'pg';

const { DATE, INT8, TIMESTAMPTZ } = pg.types.builtins;

/**
 * How the values of columns are read: timestamptz as epoch ms, bigint as a number (sequences, sums and ids of rows are
 * far below 2^53), date as YYYY-MM-DD, and everything else as the driver reads it.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return readInstant;
    if (oid === INT8) return Number;
    if (oid === DATE) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

const parseDate: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ);

/**
 * Epoch ms within the years that every reader can write. The driver reads `infinity` as a number, and years after
 * 275760 as an invalid Date: one such row would make each answer that contains it fail.
 */
function readInstant(text: string): number {
  const parsed = parseDate(text);
  const instant = parsed instanceof Date ? parsed.getTime() : Number(parsed);
  const outOfRange = text.endsWith('BC') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return boundedInstant(Number.isNaN(instant) ? outOfRange : instant);
}

/**
 * The planner settings of this product make costs look very high, and a server that can compile statements (`jit`, as in
 * Debian's packages) then compiles each of them for up to a second, to run it for a millisecond.
 */
export const withoutCompiling = 'set jit = off';

/**
 * Makes every statement find rows by their keys. A plan that was made while a table was small would otherwise read
 * all of it for as long as the connection lasts.
 */
export const planByKeys = `${withoutCompiling}; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off`;

/**
 * Fails on a standby, which a balancer or a name may lead to for a moment during a failover. A connection to it would
 * accept no writes, and show old data, for as long as it lasts.
 */
export const requirePrimary = `do $$begin
  if pg_is_in_recovery() then
    raise read_only_sql_transaction using message = 'the database server is a standby or still recovers';
  end if;
end$$`;

/**
 * A connection whose server has lost its power, or that a firewall has forgotten, ends 20 s after the last packet. By the
 * default of the system a caller would wait two hours for an answer.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Opens a connection of its own, and runs `settings` on it: SQL. */
export async function openClient(config: pg.ClientConfig, settings: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, types, ...keepAlive, ...config });
  /* A lost connection shows in the next statement; without a listener the event would end the process. */
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(settings);
    return client;
  } catch (error) {
    closeClient(client);
    throw error;
  }
}

/** Ends a session, and so releases its locks, without waiting for that. */
export function closeClient(client: pg.Client): void {
  client.end().catch(() => {});
}

/** Creates a database on a server unless it exists; `options` is the rest of the statement. */
export async function createDatabase(serverUrl: string, name: string, options = ''): Promise<void> {
  if (await databaseExists(serverUrl, name)) return;
  await withClient(serverUrl, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(name)} ${options}`);
  });
}

export async function databaseExists(serverUrl: string, name: string): Promise<boolean> {
  return await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    return rowCount === 1;
  });
}

/** Calls `work` with a new connection, and then closes it. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ connectionString: url }, withoutCompiling);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
