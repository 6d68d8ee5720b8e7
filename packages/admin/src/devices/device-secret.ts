import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { revokeDeviceSecret, updateDevice } from '@visitor-counter/database/devices/write-device';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Schema } from '@visitor-counter/database/tables/schema';
import { loadTopology, lockTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import { unknownDevice } from '../command/operator-error.ts';

/**
 * Revokes the secret of a device: its connection ends, and it cannot log in until its secret is rotated.
 * `changed` is false if it was revoked before. Throws OperatorError: unknown-device.
 */
export async function revokeSecret(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device) => ({
    serial: device,
    changed: await revokeDeviceSecret(trx, device),
  }));
}

/**
 * Replaces the secret of a device; a connection with the old one ends. Throws OperatorError: unknown-device.
 */
export async function rotateSecret(db: Database, serial: string, secret = generateSecret()) {
  return changeDevice(db, serial, async (trx, device) => {
    await updateDevice(trx, device, { secretHash: hashSecret(secret) });
    return { serial: device, secret };
  });
}

/**
 * Retires a device: it no longer counts as inactive, its store is complete without it, and its secret is revoked.
 * `changed` is false if it was retired before. Throws OperatorError: unknown-device.
 */
export async function retireDevice(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device, isRetired) => {
    if (!isRetired) await updateDevice(trx, device, { retired: true });
    const isRevoked = await revokeDeviceSecret(trx, device);
    return { serial: device, changed: !isRetired || isRevoked };
  });
}

/** Changes an existing device; `change` receives its serial as registered. */
function changeDevice<Result>(
  { kysely }: Database,
  serial: string,
  change: (trx: Transaction<Schema>, serial: string, isRetired: boolean) => Promise<Result>,
): Promise<Result> {
  const key = nameKey(serial);
  return kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { devices } = await loadTopology(trx, { companies: [], devices: [key] });
    const device = devices.get(key);
    if (device === undefined) throw unknownDevice(serial);
    return change(trx, device.serial, device.retired);
  });
}
