import type { Database } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { OperatorError } from '../context/operator-error.ts';

/** The id and the serial number, as registered, of a device. Throws OperatorError: unknown-device. */
export async function findDevice(
  { kysely }: Database,
  serial: string,
): Promise<{ readonly id: number; readonly serial: string }> {
  const device = await kysely
    .selectFrom('device')
    .select(['id', 'serial'])
    .where('serial_key', '=', nameKey(serial))
    .executeTakeFirst();
  if (device) return device;
  throw new OperatorError('unknown-device', `there is no device ${JSON.stringify(serial)}`);
}
