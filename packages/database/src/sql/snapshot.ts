import type { Kysely } from 'kysely';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from './connect.ts';
import { isUnanswered, queryBuilder } from './query-builder.ts';
import type { DB } from './schema.ts';

/**
 * A read-only view of the database as it was at one moment, on its own connection. `await using` releases the
 * connection, also after an error, and ends a statement that still runs.
 */
export interface Snapshot extends AsyncDisposable {
  readonly db: Kysely<DB>;
  /**
   * Runs a query whose answer fits into memory, and returns it in the binary format of COPY: always in the same
   * memory, so it is valid until the next copy.
   */
  copy(query: string): Promise<Buffer>;
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
  const memory = new CopyMemory();
  const connect = async () => {
    signal?.throwIfAborted();
    running += 1;
    return client;
  };
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
      connect,
      release: (_client, error) => {
        running -= 1;
        if (error) discard();
      },
      end: async () => {},
    }),
    copy: async (query) => {
      await connect();
      try {
        return await copyOut(client, query, memory);
      } catch (error) {
        if (isUnanswered(error)) discard();
        throw error;
      } finally {
        running -= 1;
      }
    },
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

async function copyOut(client: pg.PoolClient, query: string, memory: CopyMemory): Promise<Buffer> {
  memory.clear();
  const copy = client.query(copyTo(`copy (${query}) to stdout (format binary)`));
  try {
    for await (const chunk of copy) memory.add(chunk);
  } finally {
    endDeadline(copy);
  }
  return memory.bytes;
}

/**
 * The driver ends the deadline of a query in a callback that it adds to the query. A copy does not call it, and would stay
 * in memory until its deadline has passed: a long export runs hundreds of copies a second.
 */
function endDeadline(copy: object): void {
  if ('callback' in copy && typeof copy.callback === 'function') copy.callback();
}

/** Concatenates bytes in memory that is reused after `clear` and grows if necessary. */
class CopyMemory {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  add(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }
}
