import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql, type Transaction } from 'kysely';
import { requireCrossings } from '../retention/retention.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, deviceId, storeId } from '../stores/stores.ts';

interface NewDevice {
  readonly serial: string;
  readonly name: string;
  readonly secretHash: Buffer;
  /** The sid of its first store, to which it belongs since -infinity. */
  readonly store: string;
}

/** Registers a device, with its first assignment and an empty state. */
export async function insertDevice(db: Kysely<DB>, companyKey: string, device: NewDevice): Promise<void> {
  const { serial, name, secretHash, store } = device;
  await sql`
    with registered as (
      insert into device (company_id, serial, serial_key, name, secret_hash)
      values (${companyId(companyKey)}, ${serial}, ${nameKey(serial)}, ${name}, ${secretHash})
      returning id
    ), state as (
      insert into device_state (device_id) select id from registered
    )
    insert into device_assignment (device_id, since, store_id)
    select id, '-infinity'::timestamptz, ${storeId(companyKey, store)} from registered`.execute(db);
}

/** The fields of a device to change; fields that are left out stay as they are. */
interface DeviceFields {
  readonly name?: string;
  /** A new secret ends a revocation. */
  readonly secretHash?: Buffer;
  readonly retired?: boolean;
}

/** Changes the given fields, at least one. */
export async function updateDevice(
  db: Kysely<DB>,
  serial: string,
  { name, secretHash, retired }: DeviceFields,
): Promise<void> {
  await sql`
    update device set name = coalesce(${name ?? null}::text, name),
      secret_hash = coalesce(${secretHash ?? null}::bytea, secret_hash),
      secret_revoked_at = case when ${secretHash ?? null}::bytea is null then secret_revoked_at end,
      retired_at = case ${retired ?? null}::boolean when true then now() when false then null else retired_at end
    where serial = ${serial}`.execute(db);
}

/** Revokes a device's secret, until it gets another one; false if it was revoked before. */
export async function revokeDeviceSecret(db: Kysely<DB>, serial: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update device set secret_revoked_at = now() where serial = ${serial} and secret_revoked_at is null`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

interface Move {
  readonly serial: string;
  /** The sid of the store it belongs to from `since` on. */
  readonly store: string;
  /** Epoch ms; -Infinity for a first assignment. */
  readonly since: number;
  /** When the next assignment begins (epoch ms), Infinity where there is none. */
  readonly until: number;
}

/**
 * Assigns a device to another store of its company. A crossing's instant decides its store, whenever it arrives: the
 * projector moves those that are stored, and corrects the occupancy of both stores. Returns how many they are now. Throws
 * CrossingsRemoved if the device had another store at `since`, and that is before the horizon of the company.
 */
export async function moveDevice(trx: Transaction<DB>, companyKey: string, move: Move): Promise<number> {
  const device = deviceId(move.serial);
  /* A device without a first assignment has no crossings. */
  if (Number.isFinite(move.since)) await requireCrossings(trx, { deviceId: device }, move.since);
  const store = storeId(companyKey, move.store);
  const since = Number.isFinite(move.since) ? new Date(move.since) : '-infinity';
  const until = Number.isFinite(move.until) ? new Date(move.until) : 'infinity';
  await sql`
    insert into device_move (device_id, store_id, since, until)
    select device_id, store_id, ${since}::timestamptz, ${until}::timestamptz
    from device_assignment where device_id = ${device} and since <= ${since}::timestamptz
    order by since desc limit 1`.execute(trx);
  await sql`
    insert into device_assignment (device_id, since, store_id) values (${device}, ${since}, ${store})
    on conflict (device_id, since) do update set store_id = excluded.store_id`.execute(trx);
  const { rows } = await sql<{ moving: number }>`
    select count(*)::integer as moving from journal cross join lateral (
      select from crossing
      where journal_id = journal.id and at >= ${since}::timestamptz and at < ${until}::timestamptz
        and store_id > 0 and store_id <> ${store}
      offset 0
    ) moving
    where device_id = ${device}`.execute(trx);
  return rows[0]?.moving ?? 0;
}
