import { nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import { type Author, concerned, recordAudit } from '../audit/audit-log.ts';
import { anyOf, type Db } from '../sql/query-builder.ts';

/** Fields that are left out do not restrict the list. */
export interface RejectedFilter {
  readonly id?: number | undefined;
  readonly serial?: string | undefined;
  /** What the reason begins with. */
  readonly reason?: string | undefined;
}

/** A stored rejected message. */
export type RejectedMessage = Awaited<ReturnType<typeof listRejected>>[number];

/** Rejected messages by id, which is the order in which they were stored; at most `limit`. */
export async function listRejected(db: Db, filter: RejectedFilter, limit: number) {
  return await matching(db, filter).select(columns).orderBy('rejected.id').limit(limit).execute();
}

/** A rejected message with its payload; undefined if there is none with this id. */
export async function findRejected(db: Db, id: number) {
  return await matching(db, { id })
    .select([...columns, 'payload'])
    .executeTakeFirst();
}

/** The ids of the messages to retry: all of a device, or those of all devices that no limit has rejected. */
export async function rejectedToRetry(db: Db, serial: string | undefined): Promise<number[]> {
  const rows = await matching(db, { serial })
    .select('rejected.id')
    .$if(serial === undefined, (all) => all.where('reason', 'not like', 'limit:%'))
    .orderBy('rejected.id')
    .execute();
  return rows.map(({ id }) => id);
}

const columns = [
  'rejected.id',
  'device.id as deviceId',
  'serial',
  'company.name as company',
  'receivedAt',
  'topic',
  'reason',
] as const;

function matching(db: Db, { id, serial, reason }: RejectedFilter) {
  return db
    .selectFrom('rejectedMessage as rejected')
    .innerJoin('device', 'device.id', 'rejected.deviceId')
    .innerJoin('company', 'company.id', 'device.companyId')
    .where(({ and, eb }) =>
      and([
        ...(id === undefined ? [] : [eb('rejected.id', '=', id)]),
        ...(serial === undefined ? [] : [eb('device.serialKey', '=', nameKey(serial))]),
        ...(reason === undefined ? [] : [sql<boolean>`starts_with(reason, ${reason})`]),
      ]),
    );
}

/**
 * Deletes the messages of one device if they are as many as the operator expects, so that messages that have arrived since
 * are not deleted unseen. Resolves with how many there are.
 */
export async function discardRejected(
  db: Db,
  filter: RejectedFilter,
  count: number,
  author: Author,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const found = await matching(trx, filter).select(columns).forUpdate('rejected').execute();
    const [first] = found;
    if (first === undefined || found.length !== count) return found.length;
    const ids = found.map(({ id }) => id);
    await trx.deleteFrom('rejectedMessage').where('id', '=', anyOf(ids)).execute();
    const one = filter.id === undefined ? {} : { message: String(first.id), reason: first.reason };
    await recordAudit(trx, author, {
      ...(await concerned(trx, 'device', first.deviceId)),
      action: 'rejected messages discarded',
      details: { messages: count, ...(filter.reason !== undefined && { reason: filter.reason }), ...one },
    });
    return count;
  });
}
