import type { Kysely } from 'kysely';
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

export async function openSnapshot(kysely: Reader): Promise<Snapshot> {
  const db = await kysely
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  return {
    db,
    /* A connection on which even this fails is broken, and the pool replaces it by itself. */
    [Symbol.asyncDispose]: () =>
      db
        .rollback()
        .execute()
        .catch(() => {}),
  };
}
