import { seed } from '@visitor-counter/test/seed';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { adminOn } from './run-admin.ts';

/** A database with a store and its crossings, and a folder with a backup of it. */
export async function backedUpCompany(crossings = 300) {
  const [url, folder] = [await testDatabase(), await temporaryFolder()];
  const [rows, run] = [seed(url), adminOn(url)];
  const companyId = await rows.company('Größe & Söhne\tGmbH');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const journalId = await rows.journal(deviceId, 'j');
  /** Adds crossings to the journal, one each minute. */
  const cross = (first: number, last: number) =>
    rows.crossings(
      Array.from({ length: last - first + 1 }, (_, index) => ({
        journalId,
        deviceId,
        storeId,
        sequence: first + index,
        at: Date.UTC(2026, 10, 20) + (first + index) * 60_000,
        direction: index % 3 === 2 ? (-1 as const) : (1 as const),
      })),
    );
  await cross(1, crossings);
  await rows.query(
    `insert into correction (store_id, at, people, entered_by, note) values ($1, $2, 7, 'Ann', E'two\\nlines \\\\N')`,
    [storeId, new Date(Date.UTC(2026, 10, 20, 2, 5))],
  );
  await rows.query('insert into change (changes) values ($1)', [
    JSON.stringify([[storeId, Math.floor(Date.UTC(2026, 10, 20, 2) / 900_000)]]),
  ]);
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);
  return { url, folder, rows, run, file: String(file), storeId, companyId, cross };
}
