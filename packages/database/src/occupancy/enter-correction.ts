import type { Kysely } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Schema } from '../tables/schema.ts';
import { recordRewrites } from './change.ts';
import { quarterOf } from './quarter.ts';

/** Who makes an entry, with which credential, and their note. */
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

/** Enters what staff counted and returns the entry's id; the projector corrects the occupancy after it. */
export async function enterCorrection(db: Kysely<Schema>, entry: NewCorrection): Promise<string> {
  const { storeId, at, people, by, note, credentialId } = entry;
  return await db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('correction')
      .values({
        ...{ store_id: storeId, at: timestamp(at), people },
        ...{ entered_by: by, note, credential_id: credentialId },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await recordRewrites(trx, [{ storeId, quarter: quarterOf(at) }]);
    return id;
  });
}

/** Undoes a correction of a store by another entry; false when it was undone before. */
export async function undoCorrection(
  db: Kysely<Schema>,
  correction: { readonly id: string; readonly storeId: number; readonly at: number },
  { by, note, credentialId }: Entry,
): Promise<boolean> {
  const { id, storeId, at } = correction;
  return await db.transaction().execute(async (trx) => {
    const undone = await trx
      .insertInto('correction')
      .values({
        ...{ store_id: storeId, at: timestamp(at), undoes: id },
        ...{ entered_by: by, note, credential_id: credentialId },
      })
      .onConflict((conflict) => conflict.column('undoes').doNothing())
      .returning('id')
      .executeTakeFirst();
    await recordRewrites(trx, [{ storeId, quarter: quarterOf(at) }]);
    return undone !== undefined;
  });
}
