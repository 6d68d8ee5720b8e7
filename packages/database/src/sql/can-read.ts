import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from './connect.ts';

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
