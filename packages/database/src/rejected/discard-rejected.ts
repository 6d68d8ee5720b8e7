import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** Which rejected messages of one device are to go. */
export interface Discard {
  readonly serial: string;
  /** What the reason begins with; all reasons when left out. */
  readonly reason?: string;
  /** How many there are, as the operator saw them. */
  readonly count: number;
}

/** What a discard did: all `found` are gone when that is the number expected, else none. */
export interface Discarded {
  readonly found: number;
  readonly discarded: boolean;
}

/**
 * Discards the rejected messages of a device for good, if they are as many as the operator expects: whatever
 * came since they looked must not go unseen.
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

/** Discards one message for good; false when there is none of this id. */
export async function discardOne(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('rejected_message').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
