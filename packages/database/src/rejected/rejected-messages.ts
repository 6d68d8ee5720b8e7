import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
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
  readonly company?: string;
  readonly serial?: string;
  /** What the reason begins with. */
  readonly reason?: string;
  /** Only those with a larger id. */
  readonly after?: string;
  readonly id?: string;
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
