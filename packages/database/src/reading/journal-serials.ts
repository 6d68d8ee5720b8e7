import { sql } from 'kysely';
import type { Reader } from './snapshot.ts';

/** The serial numbers of the devices that journals are of, by the journals' ids. */
export async function journalSerials(
  db: Reader,
  journalIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; serial: string }>`
    select journal.id, device.serial from journal join device on device.id = journal.device_id
    where journal.id = any(${journalIds}::integer[])`.execute(db);
  return new Map(rows.map(({ id, serial }) => [id, serial]));
}
