import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql, type Transaction } from 'kysely';
import { recordRewrites } from '../occupancy/change.ts';
import type { Quarter } from '../occupancy/quarter.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import { timestamp } from '../sql/instant.ts';
import { companyId, deviceId, storeId } from '../stores/stores.ts';
import type { Schema } from '../tables/schema.ts';
import { assignmentLock } from './device-stores.ts';

export interface NewDevice {
  readonly serial: string;
  readonly name: string;
  readonly secretHash: Buffer;
  /** The sid of its first store, to which it belongs since -infinity. */
  readonly store: string;
}

/** Registers a device, with its first assignment and an empty state. */
export async function insertDevice(db: Kysely<Schema>, companyKey: string, device: NewDevice): Promise<void> {
  const { serial, name, secretHash, store } = device;
  await db
    .insertInto('device')
    .values({
      company_id: companyId(companyKey),
      serial,
      serial_key: nameKey(serial),
      name,
      secret_hash: secretHash,
    })
    .execute();
  await db
    .insertInto('device_state')
    .values({ device_id: deviceId(serial) })
    .execute();
  await db
    .insertInto('device_assignment')
    .values({
      device_id: deviceId(serial),
      since: '-infinity',
      store_id: storeId(companyKey, store),
    })
    .execute();
}

/** The fields of a device to change; fields that are left out stay as they are. */
export interface DeviceFields {
  readonly name?: string;
  /** A new secret ends a revocation. */
  readonly secretHash?: Buffer;
  readonly retired?: boolean;
}

/** Changes the given fields, at least one. */
export async function updateDevice(
  db: Kysely<Schema>,
  serial: string,
  { name, secretHash, retired }: DeviceFields,
): Promise<void> {
  await db
    .updateTable('device')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(secretHash === undefined ? {} : { secret_hash: secretHash, secret_revoked_at: null }),
      ...(retired === undefined ? {} : { retired_at: retired ? sql<Date>`now()` : null }),
    })
    .where('serial', '=', serial)
    .execute();
}

/** Revokes a device's secret, until it gets another one; false if it was revoked before. */
export async function revokeDeviceSecret(db: Kysely<Schema>, serial: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('device')
    .set({ secret_revoked_at: sql<Date>`now()` })
    .where('serial', '=', serial)
    .where('secret_revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface Move {
  readonly serial: string;
  /** The sid of the store it belongs to from `since` on. */
  readonly store: string;
  /** Epoch ms; -Infinity for a first assignment. */
  readonly since: number;
  /** When the next assignment begins (epoch ms), Infinity where there is none. */
  readonly until: number;
}

/**
 * Assigns a device to another store of its company and moves its stored crossings with it: a crossing's instant
 * decides its store, whenever it arrives. The projector corrects the occupancy of both stores. Returns how many were
 * moved. Throws CrossingsRemoved if the device had another store at `since`, and that is before the crossings of the
 * company.
 *
 * The lock excludes writers of crossings until the transaction ends: a writer that looked up the old assignment has
 * committed before the crossings are moved, and all others see the new one.
 */
export async function moveDevice(trx: Transaction<Schema>, companyKey: string, move: Move): Promise<number> {
  /* A device without a first assignment has no crossings. */
  if (Number.isFinite(move.since)) await requireCrossings(trx, { serial: move.serial }, move.since);
  await sql`select pg_advisory_xact_lock(${assignmentLock})`.execute(trx);
  const device = deviceId(move.serial);
  const store = storeId(companyKey, move.store);
  const since = Number.isFinite(move.since) ? new Date(move.since) : '-infinity';
  await trx
    .insertInto('device_assignment')
    .values({ device_id: device, since, store_id: store })
    .onConflict((conflict) => conflict.columns(['device_id', 'since']).doUpdateSet({ store_id: store }))
    .execute();
  const taken = sql`crossing.device_id = ${device} and crossing.store_id != ${store}
    and crossing.at >= ${timestamp(move.since)}::timestamptz and crossing.at < ${timestamp(move.until)}::timestamptz
    and crossing.store_id = any(array(select id from store where company_id = ${companyId(companyKey)}))`;
  const quarters = await sql<Quarter>`
    select store_id as "storeId", quarter from (
      select distinct store_id, floor(extract(epoch from at) / 900)::integer as quarter
      from crossing where ${taken}
    ) old_ones
    union select ${store}, floor(extract(epoch from at) / 900)::integer from crossing where ${taken}`.execute(
    trx,
  );
  /* They get this transaction's number, so that readers in commit order read them again with their new store. */
  const { numAffectedRows } = await sql`
    update crossing set store_id = ${store}, transaction = (select current_transaction()) where ${taken}`.execute(
    trx,
  );
  await recordRewrites(trx, quarters.rows);
  return Number(numAffectedRows);
}
