import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { revokeDeviceSecret, updateDevice } from '@visitor-counter/database/devices/write-device';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Schema } from '@visitor-counter/database/tables/schema';
import { loadTopology } from '@visitor-counter/database/topology/load-topology';
import { lockTopology } from '@visitor-counter/database/topology/topology-lock';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import { OperatorError } from '../context/operator-error.ts';

/**
 * Takes a device's secret from it: it cannot log in until it is given another one, and its connection ends.
 * `changed` is false when that was done before. Throws OperatorError: unknown-device.
 */
export async function revokeSecret(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device) => ({
    serial: device,
    changed: await revokeDeviceSecret(trx, device),
  }));
}

/**
 * Gives a device another secret; a connection with the old one ends. Throws OperatorError: unknown-device.
 */
export async function rotateSecret(db: Database, serial: string, secret = generateSecret()) {
  return changeDevice(db, serial, async (trx, device) => {
    await updateDevice(trx, device, { secretHash: hashSecret(secret) });
    return { serial: device, secret };
  });
}

/**
 * Takes a device out of service: no list and no store waits for it, and its secret is revoked. `changed` is false when
 * that was done before. Throws OperatorError: unknown-device.
 */
export async function retireDevice(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device, isRetired) => {
    if (!isRetired) await updateDevice(trx, device, { retired: true });
    const isRevoked = await revokeDeviceSecret(trx, device);
    return { serial: device, changed: !isRetired || isRevoked };
  });
}

/** Changes a device that is there; `change` gets its serial as it is registered. */
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
    if (device === undefined) {
      throw new OperatorError('unknown-device', `there is no device ${JSON.stringify(serial)}`);
    }
    return change(trx, device.serial, device.retired);
  });
}
