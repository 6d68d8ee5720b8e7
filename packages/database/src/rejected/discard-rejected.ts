import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** Which rejected messages of one device to discard. */
export interface Discard {
  readonly serial: string;
  /** What the reason begins with; all reasons when left out. */
  readonly reason?: string;
  /** How many the operator expects. */
  readonly count: number;
}

/** The result of a discard: all `found` are deleted if that is the expected number, otherwise none. */
export interface Discarded {
  readonly found: number;
  readonly discarded: boolean;
}

/**
 * Deletes the rejected messages of a device if they are as many as the operator expects, so that messages that have
 * arrived since are not deleted unseen.
 */
export async function discardRejected(
  db: Kysely<Schema>,
  { serial, reason, count }: Discard,
): Promise<Discarded> {
  return db.transaction().execute(async (transaction) => {
    const device = transaction
      .selectFrom('device')
      .select('device.id')
      .where('device.serial_key', '=', nameKey(serial));
    let query = transaction.selectFrom('rejected_message').select('id').where('device_id', 'in', device);
    if (reason !== undefined) {
      query = query.where((eb) => eb.fn<boolean>('starts_with', ['reason', eb.val(reason)]));
    }
    const ids = (await query.forUpdate().execute()).map(({ id }) => id);
    if (ids.length !== count || count === 0) return { found: ids.length, discarded: false };
    await transaction
      .deleteFrom('rejected_message')
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
      .execute();
    return { found: ids.length, discarded: true };
  });
}

/** Deletes one message; false if there is none with this id. */
export async function discardOne(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('rejected_message').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
