import { buffer } from 'node:stream/consumers';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../connect.ts';
import type { Schema } from '../schema.ts';

/** What the statements of this folder run on: a pool, or a snapshot. */
export type Reader = Kysely<Schema>;

/**
 * A read-only view of the database as it was at one moment, on a connection of its own. `await using` gives
 * the connection back, also when the work was broken off: a statement that still runs is cancelled.
 */
export interface Snapshot extends AsyncDisposable {
  readonly db: Reader;
  /** Runs a query whose answer is small enough to be held, and gives that as COPY writes it in binary. */
  copy(query: string): Promise<Buffer>;
}

/**
 * Crossings come out of their index in order. A planner that sorts them instead, as it does where its
 * statistics are old, reads the rest of the range anew for every batch.
 */
const begin = 'start transaction isolation level repeatable read, read only; set local enable_sort = off';

/** Once `signal` is aborted the statement that runs is cancelled, and so its reader goes no further. */
export async function openSnapshot({ pool }: Database, signal?: AbortSignal): Promise<Snapshot> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const cancel = async () => void (await pool.query('select pg_cancel_backend($1)', [rows[0]?.pid]));
    return snapshotOn(client, cancel, signal);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function snapshotOn(
  client: pg.PoolClient,
  cancelStatement: () => Promise<void>,
  signal: AbortSignal | undefined,
): Snapshot {
  let copying: Promise<Buffer> | undefined;
  const cancel = async () => {
    if (copying !== undefined) await cancelStatement();
  };
  const onAbort = () => void cancel().catch(() => {});
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    db: readerOf(client),
    copy: (query) => {
      const copy = copyOut(client, query).finally(() => {
        if (copying === copy) copying = undefined;
      });
      copying = copy;
      return copy;
    },
    [Symbol.asyncDispose]: async () => {
      signal?.removeEventListener('abort', onAbort);
      const last = copying?.catch(() => {});
      await giveBack(client, async () => {
        await cancel();
        await last;
      });
    },
  };
}

function copyOut(client: pg.PoolClient, query: string): Promise<Buffer> {
  return buffer(client.query(copyTo(`copy (${query}) to stdout (format binary)`)));
}

function readerOf(client: pg.PoolClient): Reader {
  const connection = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => connection, end: async () => {}, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** A connection that cannot even end its transaction is broken: the pool throws it away. */
async function giveBack(client: pg.PoolClient, settle: () => Promise<void>): Promise<void> {
  try {
    await settle();
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}
