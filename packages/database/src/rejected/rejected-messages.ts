import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { allOf } from '../sql/conditions.ts';
import type { DB } from '../sql/schema.ts';

/** A stored rejected message. */
export interface RejectedMessage {
  /** A 64-bit number. */
  readonly id: string;
  readonly deviceId: number;
  readonly serial: string;
  readonly company: string;
  readonly receivedAt: number;
  readonly topic: string;
  readonly reason: string;
}

/** Fields that are left out do not restrict the list. */
interface RejectedFilter {
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
  db: Kysely<DB>,
  filter: RejectedFilter,
  limit: number,
): Promise<RejectedMessage[]> {
  const { rows } = await sql<RejectedMessage>`
    select ${columns} from ${matching(filter)} order by rejected.id limit ${limit}`.execute(db);
  return rows;
}

/** A rejected message with its payload; undefined if there is none with this id. */
export async function findRejected(
  db: Kysely<DB>,
  id: string,
): Promise<(RejectedMessage & { readonly payload: Buffer }) | undefined> {
  const { rows } = await sql<RejectedMessage & { readonly payload: Buffer }>`
    select ${columns}, payload from ${matching({ id })}`.execute(db);
  return rows[0];
}

const columns = sql`rejected.id, device.id as "deviceId", serial, company.name as company,
  received_at as "receivedAt", topic, reason`;

function matching({ company, serial, reason, after, id }: RejectedFilter) {
  return sql`rejected_message rejected
    join device on device.id = rejected.device_id
    join company on company.id = device.company_id
    where ${allOf(
      company !== undefined && sql`company.name_key = ${nameKey(company)}`,
      serial !== undefined && sql`device.serial_key = ${nameKey(serial)}`,
      reason !== undefined && sql`starts_with(reason, ${reason})`,
      after !== undefined && sql`rejected.id > ${after}::bigint`,
      id !== undefined && sql`rejected.id = ${id}::bigint`,
    )}`;
}

/** The highest id of a rejected message; 0 if there is none. */
export async function lastRejected(db: Kysely<DB>): Promise<bigint> {
  const { rows } = await sql<{ last: string | null }>`select max(id) as last from rejected_message`.execute(
    db,
  );
  return BigInt(rows[0]?.last ?? 0);
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
    const { rows: found } = await sql<{ id: string; deviceId: number }>`
      select rejected.id, rejected.device_id as "deviceId" from ${matching({ serial, reason })}
      for update of rejected`.execute(transaction);
    const [first] = found;
    if (first === undefined || found.length !== count) return { found: found.length, discarded: false };
    const ids = found.map(({ id }) => id);
    await sql`delete from rejected_message where id = any(${ids}::bigint[])`.execute(transaction);
    await recordAudit(transaction, author, {
      ...(await deviceConcerned(transaction, first.deviceId)),
      action: 'rejected messages discarded',
      details: { messages: count, ...(reason !== undefined && { reason }) },
    });
    return { found: found.length, discarded: true };
  });
}

/** Deletes one message; false if there is none with this id. */
export async function discardOne(db: Kysely<DB>, id: string, author: Author): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ deviceId: number; reason: string; receivedAt: number }>`
      delete from rejected_message where id = ${id}
      returning device_id as "deviceId", reason, received_at as "receivedAt"`.execute(transaction);
    const [deleted] = rows;
    if (deleted === undefined) return false;
    await recordAudit(transaction, author, {
      ...(await deviceConcerned(transaction, deleted.deviceId)),
      action: 'rejected messages discarded',
      details: { messages: 1, message: id, reason: deleted.reason, receivedAt: deleted.receivedAt },
    });
    return true;
  });
}
