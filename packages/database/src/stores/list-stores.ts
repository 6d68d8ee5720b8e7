import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { joinCurrentStore } from './stores.ts';

/** A store as an operator sees it. */
interface ListedStore {
  readonly company: string;
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
  readonly dayStartsAt: string;
  readonly capacity: number | null;
  /** How many devices in use belong to it now. */
  readonly devices: number;
}

/** The stores of all companies, or of one, by company and sid. */
export async function listStores(db: Kysely<unknown>, company?: string): Promise<ListedStore[]> {
  const key = company === undefined ? null : nameKey(company);
  const { rows } = await sql<ListedStore>`
    select company.name as company, sid, store.name, time_zone as "timeZone", day_starts_at as "dayStartsAt",
      capacity, coalesce(present.devices, 0)::integer as devices
    from store join company on company.id = store.company_id
    left join (
      select store_id, count(*) as devices
      from device ${joinCurrentStore()}
      where retired_at is null group by store_id
    ) present on present.store_id = store.id
    where ${key}::text is null or company.name_key = ${key}
    order by company.name_key, sid collate "C"`.execute(db);
  return rows;
}
