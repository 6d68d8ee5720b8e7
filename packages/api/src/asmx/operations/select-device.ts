import { findDevice } from '@visitor-counter/database/devices/device';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { Sight } from '@visitor-counter/database/stores/store-facts';
import { storesOfDevice } from '@visitor-counter/database/stores/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import { unknownSerialNumber } from '../../problems/problems.ts';
import type { Selection } from './export-counts.ts';

/** A device in the stores that it was ever in, as far as they are seen. Throws `unknown_serial_number`. */
export async function selectDevice(db: Reader, sight: Sight, serialNumber: string): Promise<Selection> {
  const deviceId = await findDevice(db, sight.companyId, nameKey(serialNumber));
  if (deviceId === undefined) throw unknownSerialNumber();
  const stores = await storesOfDevice(db, sight, deviceId);
  if (stores.length === 0) throw unknownSerialNumber();
  return { stores, deviceId };
}
