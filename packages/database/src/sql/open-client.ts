import pg from 'pg';
import { types } from './type-parsers.ts';

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
