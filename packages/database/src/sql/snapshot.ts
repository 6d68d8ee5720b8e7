import type pg from 'pg';
import type { Database } from './connect.ts';
import { type Db, queryBuilder } from './query-builder.ts';

/**
 * A read-only view of the database as it was at one moment, on its own connection. `await using` releases the
 * connection, also after an error, and ends a statement that still runs.
 */
export interface Snapshot extends AsyncDisposable {
  readonly db: Db;
}

/**
 * Crossings come out of their index in order. A planner that sorts them instead, as it does where its statistics are old,
 * reads the rest of the range again for every batch.
 */
const begin =
  'start transaction isolation level repeatable read, read only; set local enable_sort = off; select 1';

/**
 * When `signal` aborts, the running statement fails, and the server ends it within a second (`connect`). After that,
 * statements throw the reason of the signal, and so does this function.
 */
export async function openSnapshot({ pool }: Database, signal?: AbortSignal): Promise<Snapshot> {
  const client = await pool.connect();
  try {
    signal?.throwIfAborted();
    await client.query(begin);
    return snapshotOn(client, signal);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function snapshotOn(client: pg.PoolClient, signal: AbortSignal | undefined): Snapshot {
  let running = 0;
  let isReleased = false;
  /** Closes the connection of a running statement, or one that no longer answers. */
  const discard = () => {
    if (!isReleased) client.release(true);
    isReleased = true;
  };
  const onAbort = () => {
    if (running > 0) discard();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    db: queryBuilder({
      connect: async () => {
        signal?.throwIfAborted();
        running += 1;
        return client;
      },
      release: (_client, error) => {
        running -= 1;
        if (error) discard();
      },
      end: async () => {},
    }),
    [Symbol.asyncDispose]: async () => {
      signal?.removeEventListener('abort', onAbort);
      /* The reader has stopped early, and reads ahead. */
      if (running > 0) discard();
      if (isReleased) return;
      /* A connection that cannot even end its transaction is broken. */
      await client.query('rollback').then(
        () => client.release(),
        () => client.release(true),
      );
    },
  };
}
