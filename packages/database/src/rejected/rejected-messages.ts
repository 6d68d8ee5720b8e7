import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { deviceConcerned } from '../audit/subjects.ts';
import type { Schema } from '../tables/schema.ts';

/** A stored rejected message. */
export interface RejectedMessage {
  /** A 64-bit number. */
  readonly id: string;
  readonly deviceId: number;
  readonly serial: string;
  readonly company: string;
  readonly receivedAt: Date;
  readonly topic: string;
  readonly reason: string;
}

/** Fields that are left out do not restrict the list. */
export interface RejectedFilter {
  readonly company?: string | undefined;
  readonly serial?: string | undefined;
  /** What the reason begins with. */
  readonly reason?: string | undefined;
  /** Only those with a larger id. */
  readonly after?: string | undefined;
  readonly id?: string | undefined;
}

/** Rejected messages by id, which is the order in which they were stored; at most `limit`. */
export async function listRejected(
  db: Kysely<Schema>,
  filter: RejectedFilter,
  limit: number,
): Promise<RejectedMessage[]> {
  return matching(db, filter).orderBy('rejected.id').limit(limit).execute();
}

/** A rejected message with its payload; undefined if there is none with this id. */
export async function findRejected(
  db: Kysely<Schema>,
  id: string,
): Promise<(RejectedMessage & { readonly payload: Buffer }) | undefined> {
  return matching(db, { id }).select('rejected.payload').executeTakeFirst();
}

function matching(db: Kysely<Schema>, { company, serial, reason, after, id }: RejectedFilter) {
  let query = db
    .selectFrom('rejected_message as rejected')
    .innerJoin('device', 'device.id', 'rejected.device_id')
    .innerJoin('company', 'company.id', 'device.company_id')
    .select(['rejected.id', 'device.id as deviceId', 'serial', 'company.name as company'])
    .select(['rejected.received_at as receivedAt', 'topic', 'reason']);
  if (company !== undefined) query = query.where('company.name_key', '=', nameKey(company));
  if (serial !== undefined) query = query.where('device.serial_key', '=', nameKey(serial));
  if (reason !== undefined)
    query = query.where((eb) => eb.fn<boolean>('starts_with', ['reason', eb.val(reason)]));
  if (after !== undefined) query = query.where('rejected.id', '>', after);
  if (id !== undefined) query = query.where('rejected.id', '=', id);
  return query;
}

/** The highest id of a rejected message; 0 if there is none. */
export async function lastRejected(db: Kysely<Schema>): Promise<bigint> {
  const { last } = await db
    .selectFrom('rejected_message')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return BigInt(last ?? 0);
}

/** Which rejected messages of one device to discard. */
export interface Discard {
  readonly serial: string;
  /** What the reason begins with; all reasons when left out. */
  readonly reason?: string | undefined;
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
  author: Author,
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
    const found = await query.select('device_id as deviceId').forUpdate().execute();
    const ids = found.map(({ id }) => id);
    if (ids.length !== count || count === 0) return { found: ids.length, discarded: false };
    await transaction
      .deleteFrom('rejected_message')
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
      .execute();
    const [first] = found;
    if (first !== undefined)
      await recordAudit(transaction, author, {
        ...(await deviceConcerned(transaction, first.deviceId)),
        action: 'rejected messages discarded',
        details: { messages: count, ...(reason !== undefined && { reason }) },
      });
    return { found: ids.length, discarded: true };
  });
}

/** Deletes one message; false if there is none with this id. */
export async function discardOne(db: Kysely<Schema>, id: string, author: Author): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom('rejected_message')
      .where('id', '=', id)
      .returning(['device_id as deviceId', 'reason', 'received_at as receivedAt'])
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await recordAudit(transaction, author, {
      ...(await deviceConcerned(transaction, deleted.deviceId)),
      action: 'rejected messages discarded',
      details: { messages: 1, message: id, reason: deleted.reason, receivedAt: deleted.receivedAt },
    });
    return true;
  });
}
