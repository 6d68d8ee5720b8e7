import { sql, type Transaction } from 'kysely';
import { requireCrossings } from '../retention/retention.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** What was moved with a device, and the sid of the store that it was moved from. */
export interface Moved {
  readonly crossings: number;
  readonly from: string;
}

/**
 * Makes a device belong to another store of its company from an instant (epoch ms) on, until its next move; undefined if it
 * belongs to that store then. A crossing's instant decides its store, whenever it arrives: the projector moves those that are
 * stored, and corrects the occupancy of both stores. Throws CrossingsRemoved for an instant before the horizon of the company.
 */
export async function moveDevice(
  trx: Transaction<DB>,
  deviceId: number,
  storeId: number,
  since: number,
): Promise<Moved | undefined> {
  const at = sql`${timestamp(since)}::timestamptz`;
  const { rows: present } = await sql<{ storeId: number; sid: string }>`
    select store_id, sid from store_at(${deviceId}, ${at}) join store on store.id = store_id`.execute(trx);
  const [from] = present;
  if (from === undefined || from.storeId === storeId) return undefined;
  await requireCrossings(trx, { deviceId }, since);
  const { rows } = await sql<{ crossings: number }>`
    with move as (
      insert into device_move (device_id, store_id, since, until)
      select ${deviceId}, ${from.storeId}, ${at}, coalesce(min(since), 'infinity')
      from device_assignment where device_id = ${deviceId} and since > ${at}
      returning until
    ), assigned as (
      insert into device_assignment (device_id, since, store_id) values (${deviceId}, ${at}, ${storeId})
      on conflict (device_id, since) do update set store_id = excluded.store_id
    )
    select count(*) as crossings from move cross join journal cross join lateral (
      select from crossing
      where journal_id = journal.id and at >= ${at} and at < until
        and crossing.store_id > 0 and crossing.store_id <> ${storeId}
      offset 0
    ) moving
    where device_id = ${deviceId}`.execute(trx);
  return { crossings: rows[0]?.crossings ?? 0, from: from.sid };
}
