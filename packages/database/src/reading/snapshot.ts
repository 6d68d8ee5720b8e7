import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database } from '../connect.ts';
import type { Schema } from '../schema.ts';

/** What the statements of this folder run on: a pool, or a snapshot. */
export type Reader = Kysely<Schema>;

/**
 * A read-only view of the database as it was at one moment, on a connection of its own. `await using` gives
 * the connection back, also when the work was broken off.
 */
export interface Snapshot extends AsyncDisposable {
  readonly db: Reader;
}

/**
 * Crossings come out of their index in order. A planner that sorts them instead, as it does where its
 * statistics are old, reads the rest of the range anew for every batch.
 */
const begin = 'start transaction isolation level repeatable read, read only; set local enable_sort = off';

export async function openSnapshot({ pool }: Database): Promise<Snapshot> {
  const client = await pool.connect();
  try {
    await client.query(begin);
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { db: readerOf(client), [Symbol.asyncDispose]: () => giveBack(client) };
}

function readerOf(client: pg.PoolClient): Reader {
  const connection = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => connection, end: async () => {}, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** A connection that cannot even end its transaction is broken: the pool throws it away. */
async function giveBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}
