import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { companyId, deviceId, storeId, timestamp } from '../stores/references.ts';
import type { Schema } from '../tables/schema.ts';

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
      since: timestamp(Number.NEGATIVE_INFINITY),
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
