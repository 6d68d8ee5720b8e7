import { seed } from './seed.ts';
import { testDatabase } from './test-database.ts';

/** A database, by default one of the current test, with the company Acme, its store S-1, and the device CU-1 in it. */
export async function oneDoor(given?: string) {
  const url = given ?? (await testDatabase());
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  return { url, rows, companyId, storeId, deviceId };
}
