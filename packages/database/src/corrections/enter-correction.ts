import { type Kysely, sql, type Transaction } from 'kysely';
import { lockQuarters } from '../occupancy/lock-quarters.ts';
import { quarterOf } from '../occupancy/quarter.ts';
import { rebuildQuarters } from '../occupancy/rebuild-quarters.ts';
import { onKysely } from '../occupancy/run-statement.ts';
import { timestamp } from '../reading/instant.ts';
import type { Schema } from '../schema.ts';

/** Who enters something, with which credential, and what they say about it. */
export interface Entry {
  readonly by: string;
  readonly note: string;
  readonly credentialId: number;
}

export interface NewCorrection extends Entry {
  readonly storeId: number;
  /** Epoch ms. */
  readonly at: number;
  readonly people: number;
}

/** Enters what staff counted and returns the entry's id; every number after it is right from the commit on. */
export async function enterCorrection(db: Kysely<Schema>, entry: NewCorrection): Promise<string> {
  const { storeId, at, people, by, note, credentialId } = entry;
  return await db.transaction().execute((trx) =>
    inLockedQuarter(trx, { storeId, at }, async () => {
      const { id } = await trx
        .insertInto('correction')
        .values({
          ...{ store_id: storeId, at: timestamp(at), people },
          ...{ entered_by: by, note, credential_id: credentialId },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    }),
  );
}

/** Undoes a correction of a store by another entry; false when it was undone before. */
export async function undoCorrection(
  db: Kysely<Schema>,
  correction: { readonly id: string; readonly storeId: number; readonly at: number },
  { by, note, credentialId }: Entry,
): Promise<boolean> {
  const { id, storeId, at } = correction;
  return await db.transaction().execute((trx) =>
    inLockedQuarter(trx, { storeId, at }, async () => {
      const undone = await trx
        .insertInto('correction')
        .values({
          ...{ store_id: storeId, at: timestamp(at), undoes: id },
          ...{ entered_by: by, note, credential_id: credentialId },
        })
        .onConflict((conflict) => conflict.column('undoes').doNothing())
        .returning('id')
        .executeTakeFirst();
      return undone !== undefined;
    }),
  );
}

/** As whoever stores crossings does: the quarter is locked, written into, and its state made anew. */
async function inLockedQuarter<Result>(
  trx: Transaction<Schema>,
  { storeId, at }: { readonly storeId: number; readonly at: number },
  write: () => Promise<Result>,
): Promise<Result> {
  const quarters = [{ storeId, quarter: quarterOf(at) }];
  /* Who hangs would stop a store's crossings. */
  await sql`set local statement_timeout = '10s'`.execute(trx);
  await lockQuarters(onKysely(trx), quarters);
  const result = await write();
  await rebuildQuarters(onKysely(trx), quarters);
  return result;
}
