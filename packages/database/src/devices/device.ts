import type { Reader } from '../sql/snapshot.ts';

/** The id of a company's device by its serial number (as `nameKey` makes it); undefined when it has none. */
export async function findDevice(
  db: Reader,
  companyId: number,
  serialKey: string,
): Promise<number | undefined> {
  const device = await db
    .selectFrom('device')
    .select('id')
    .where('company_id', '=', companyId)
    .where('serial_key', '=', serialKey)
    .executeTakeFirst();
  return device?.id;
}
