import { businessDayOf } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { giveUpMessages } from '../alerts/deliveries.ts';
import { writeStoreSettings } from '../settings/store-settings.ts';
import type { DB } from '../sql/schema.ts';
import { companyId } from '../stores/stores.ts';
import type { StoredAlertTarget, StoredCompany, StoredShopGroup, StoredStore } from './topology.ts';

/* Each function inserts what the database lacks, and otherwise updates it. */

/** A company is found by the key of its name; its spelling may change. */
export async function writeCompany(
  db: Kysely<DB>,
  { name, retentionMonths }: Pick<StoredCompany, 'name' | 'retentionMonths'>,
): Promise<void> {
  await sql`
    insert into company (name, name_key, retention_months) values (${name}, ${nameKey(name)}, ${retentionMonths})
    on conflict (name_key) do update set name = excluded.name, retention_months = excluded.retention_months`.execute(
    db,
  );
}

/** A store; opening hours and staff that are undefined stay as they are. */
interface StoreToWrite extends Omit<StoredStore, 'openingHours' | 'staff'> {
  readonly openingHours: StoredStore['openingHours'] | undefined;
  readonly staff: StoredStore['staff'] | undefined;
}

/** `now` (epoch ms) is when staff that is not declared any more ends. */
export async function writeStore(
  db: Kysely<DB>,
  companyKey: string,
  { sid, name, address, city, timeZone, dayStartsAt, capacity, ...more }: StoreToWrite,
  now: number,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    insert into store (company_id, sid, name, address, city, time_zone, day_starts_at, capacity)
    values (${companyId(companyKey)}, ${sid}, ${name}, ${address}, ${city}, ${timeZone}, ${dayStartsAt}, ${capacity})
    on conflict (company_id, sid) do update set name = excluded.name, address = excluded.address,
      city = excluded.city, time_zone = excluded.time_zone, day_starts_at = excluded.day_starts_at,
      capacity = excluded.capacity
    returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await writeStoreSettings(db, id, more, businessDayOf(now, { timeZone, dayStartsAt }).date);
}

/** A shop group is found by the key of its name. */
export async function writeShopGroup(
  db: Kysely<DB>,
  companyKey: string,
  { name, stores }: StoredShopGroup,
): Promise<void> {
  const company = companyId(companyKey);
  const { rows } = await sql<{ id: number }>`
    insert into shop_group (company_id, name, name_key) values (${company}, ${name}, ${nameKey(name)})
    on conflict (company_id, name_key) do update set name = excluded.name
    returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`delete from shop_group_store where shop_group_id = ${id}`.execute(db);
  await sql`
    insert into shop_group_store (shop_group_id, store_id)
    select ${id}::integer, id from store where company_id = ${company} and sid = any(${[...stores]}::text[])`.execute(
    db,
  );
}

/** Pending messages to a target that is switched off are given up. */
export async function writeAlertTarget(
  db: Kysely<DB>,
  companyKey: string,
  { label, kind, address, sealed, language, enabled }: StoredAlertTarget,
): Promise<void> {
  await sql`
    insert into alert_target (company_id, label, kind, address, sealed, language, enabled)
    values (${companyId(companyKey)}, ${label}, ${kind}, ${address}, ${sealed}, ${language}, ${enabled})
    on conflict (company_id, label) do update set kind = excluded.kind, address = excluded.address,
      sealed = excluded.sealed, language = excluded.language, enabled = excluded.enabled`.execute(db);
  await giveUpMessages(db, companyId(companyKey));
}
