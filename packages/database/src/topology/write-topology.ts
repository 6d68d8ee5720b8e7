import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { companyId } from '../stores/stores.ts';
import type { Schema } from '../tables/schema.ts';
import type { StoredAlertRule, StoredAlertTarget, StoredCompany, StoredStore } from './topology.ts';

/** Each function inserts what the database lacks, and otherwise updates it. */

/** A company is found by the key of its name; its spelling may change. */
export async function writeCompany(
  db: Kysely<Schema>,
  { name, retentionMonths }: Pick<StoredCompany, 'name' | 'retentionMonths'>,
): Promise<void> {
  const fields = { name, retention_months: retentionMonths };
  await db
    .insertInto('company')
    .values({ ...fields, name_key: nameKey(name) })
    .onConflict((conflict) => conflict.column('name_key').doUpdateSet(fields))
    .execute();
}

export async function writeStore(
  db: Kysely<Schema>,
  companyKey: string,
  { sid, timeZone, dayStartsAt, ...same }: StoredStore,
): Promise<void> {
  const fields = { ...same, time_zone: timeZone, day_starts_at: dayStartsAt };
  await db
    .insertInto('store')
    .values({ company_id: companyId(companyKey), sid, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'sid']).doUpdateSet(fields))
    .execute();
}

/** A shop group is found by the key of its name; `sids` are all its stores, and undefined leaves them as they are. */
export async function writeShopGroup(
  db: Kysely<Schema>,
  companyKey: string,
  name: string,
  sids: readonly string[] | undefined,
): Promise<void> {
  const company = companyId(companyKey);
  const { id } = await db
    .insertInto('shop_group')
    .values({ company_id: company, name, name_key: nameKey(name) })
    .onConflict((conflict) => conflict.columns(['company_id', 'name_key']).doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  if (sids === undefined) return;
  await db.deleteFrom('shop_group_store').where('shop_group_id', '=', id).execute();
  await sql`
    insert into shop_group_store (shop_group_id, store_id)
    select ${id}, id from store where company_id = ${company} and sid = any(${sids}::text[])`.execute(db);
}

export async function writeAlertRule(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, afterSeconds, threshold, enabled }: StoredAlertRule,
): Promise<void> {
  const fields = { after_seconds: afterSeconds, threshold, enabled };
  await db
    .insertInto('alert_rule')
    .values({ company_id: companyId(companyKey), kind, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'kind']).doUpdateSet(fields))
    .execute();
}

export async function writeAlertTarget(
  db: Kysely<Schema>,
  companyKey: string,
  { label, ...fields }: StoredAlertTarget,
): Promise<void> {
  await db
    .insertInto('alert_target')
    .values({ company_id: companyId(companyKey), label, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'label']).doUpdateSet(fields))
    .execute();
}
