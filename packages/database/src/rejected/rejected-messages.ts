import { nameKey } from '@visitor-counter/domain/name-key';
import { utcText } from '@visitor-counter/domain/time';
import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import type { DB } from '../sql/schema.ts';

/** Fields that are left out do not restrict the list. */
interface RejectedFilter {
  readonly company?: string | undefined;
  readonly serial?: string | undefined;
  /** What the reason begins with. */
  readonly reason?: string | undefined;
  /** Only those with a larger id. */
  readonly after?: number | undefined;
}

/** A stored rejected message. */
export type RejectedMessage = Awaited<ReturnType<typeof listRejected>>[number];

/** Rejected messages by id, which is the order in which they were stored; at most `limit`. */
export async function listRejected(db: Kysely<DB>, filter: RejectedFilter, limit: number) {
  return await matching(db, filter).select(columns).orderBy('rejected.id').limit(limit).execute();
}

/** A rejected message with its payload; undefined if there is none with this id. */
export async function findRejected(db: Kysely<DB>, id: number) {
  return await matching(db, {})
    .select([...columns, 'payload'])
    .where('rejected.id', '=', id)
    .executeTakeFirst();
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

function matching(db: Kysely<DB>, { company, serial, reason, after }: RejectedFilter) {
  return db
    .selectFrom('rejectedMessage as rejected')
    .innerJoin('device', 'device.id', 'rejected.deviceId')
    .innerJoin('company', 'company.id', 'device.companyId')
    .where(({ and, eb }) =>
      and([
        ...(company === undefined ? [] : [eb('company.nameKey', '=', nameKey(company))]),
        ...(serial === undefined ? [] : [eb('device.serialKey', '=', nameKey(serial))]),
        ...(reason === undefined ? [] : [sql<boolean>`starts_with(reason, ${reason})`]),
        ...(after === undefined ? [] : [eb('rejected.id', '>', after)]),
      ]),
    );
}

/** The highest id of a rejected message; 0 if there is none. */
export async function lastRejected(db: Kysely<DB>): Promise<number> {
  const { last } = await db
    .selectFrom('rejectedMessage')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** Which rejected messages of one device to discard. */
interface Discard {
  readonly serial: string;
  /** What the reason begins with; all reasons when left out. */
  readonly reason?: string | undefined;
  /** How many the operator expects. */
  readonly count: number;
}

/** The result of a discard: all `found` are deleted if that is the expected number, otherwise none. */
interface Discarded {
  readonly found: number;
  readonly discarded: boolean;
}

/**
 * Deletes the rejected messages of a device if they are as many as the operator expects, so that messages that have
 * arrived since are not deleted unseen.
 */
export async function discardRejected(
  db: Kysely<DB>,
  { serial, reason, count }: Discard,
  author: Author,
): Promise<Discarded> {
  return db.transaction().execute(async (transaction) => {
    const found = await matching(transaction, { serial, reason })
      .select(['rejected.id', 'device.id as deviceId'])
      .forUpdate('rejected')
      .execute();
    const [first] = found;
    if (first === undefined || found.length !== count) return { found: found.length, discarded: false };
    await sql`delete from rejected_message where id = any(${found.map(({ id }) => id)})`.execute(transaction);
    await recordAudit(transaction, author, {
      ...(await deviceConcerned(transaction, first.deviceId)),
      action: 'rejected messages discarded',
      details: { messages: count, ...(reason !== undefined && { reason }) },
    });
    return { found: found.length, discarded: true };
  });
}

/** Deletes one message; false if there is none with this id. */
export async function discardOne(db: Kysely<DB>, id: number, author: Author): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom('rejectedMessage')
      .where('id', '=', id)
      .returning(['deviceId', 'reason', 'receivedAt'])
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await recordAudit(transaction, author, {
      ...(await deviceConcerned(transaction, deleted.deviceId)),
      action: 'rejected messages discarded',
      details: {
        messages: 1,
        message: String(id),
        reason: deleted.reason,
        receivedAt: utcText(deleted.receivedAt),
      },
    });
    return true;
  });
}
