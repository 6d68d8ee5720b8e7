import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import type { Database } from './connect.ts';
import { isUnanswered, queryBuilder } from './query-builder.ts';
import type { DB } from './schema.ts';

/**
 * A read-only view of the database as it was at one moment, on its own connection. `await using` releases the
 * connection, also after an error: a statement that still runs is cancelled.
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
const begin = `start transaction isolation level repeatable read, read only; set local enable_sort = off;
  select pg_backend_pid() as pid, pg_postmaster_start_time()::text as server`;
const Begun = Type.Object({
  rows: Type.Tuple([Type.Object({ pid: Type.Integer(), server: Type.String() })]),
});

/** Another connection may lead to another server, if there is a balancer in front of several. */
const cancelStatement = 'select pg_cancel_backend($1) where pg_postmaster_start_time()::text = $2';

/**
 * When `signal` aborts, the running statement is cancelled, so that its reader fails. After that, statements throw the reason
 * of the signal, and so does this function.
 */
export async function openSnapshot({ pool }: Database, signal?: AbortSignal): Promise<Snapshot> {
  const client = await pool.connect();
  try {
    signal?.throwIfAborted();
    /* Several statements have several results. */
    const results: unknown = await client.query(begin);
    const { rows } = Parse(Begun, [results].flat().at(-1));
    const { pid, server } = rows[0];
    const cancel = async () => void (await pool.query(cancelStatement, [pid, server]));
    return snapshotOn(client, cancel, signal);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A cancellation that arrives before the server has begun the statement has no effect, so it is repeated (ms). */
const cancelAgainAfter = 100;

function snapshotOn(
  client: pg.PoolClient,
  cancelRunning: () => Promise<void>,
  signal: AbortSignal | undefined,
): Snapshot {
  /** The statement that runs. */
  let running: Promise<unknown> | undefined;
  let cancelling = Promise.resolve();
  /** A statement was not answered in time: the next one would wait for as long again. */
  let isHung = false;
  let ended = () => {};
  const memory = new CopyMemory();
  const cancel = async () => {
    for (let one = running; one !== undefined; one = running) {
      await cancelRunning();
      await Promise.race([one.catch(() => {}), delay(cancelAgainAfter)]);
    }
  };
  const onAbort = () => {
    cancelling = cancel().catch(() => {});
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    db: queryBuilder({
      connect: async () => {
        signal?.throwIfAborted();
        const statement = Promise.withResolvers<void>();
        running = statement.promise;
        ended = statement.resolve;
        return client;
      },
      release: (_client, error) => {
        isHung ||= error !== undefined;
        running = undefined;
        ended();
      },
      end: async () => {},
    }),
    copy: (query) => {
      const copy = copyOut(client, query, memory)
        .catch((error) => {
          isHung ||= isUnanswered(error);
          throw error;
        })
        .finally(() => {
          if (running === copy) running = undefined;
        });
      running = copy;
      return copy;
    },
    [Symbol.asyncDispose]: async () => {
      signal?.removeEventListener('abort', onAbort);
      if (isHung) return client.release(true);
      const last = running?.catch(() => {});
      await release(client, async () => {
        await cancel();
        await last;
        /* It must not cancel a statement of the next user of this connection. */
        await cancelling;
      });
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

/** A connection that cannot even end its transaction is broken: the pool discards it. */
async function release(client: pg.PoolClient, endCopy: () => Promise<void>): Promise<void> {
  try {
    await endCopy();
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

/** Concatenates bytes in memory that is reused after `clear` and grows if necessary. */
export class CopyMemory {
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
