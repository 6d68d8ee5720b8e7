import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { companyId } from '../stores/references.ts';
import type { Schema } from '../tables/schema.ts';
import type { StoredAlertRule, StoredAlertTarget } from './topology.ts';

/**
 * The fields of a store that an operator sets; fields that are left out stay as they are, or are empty for a new
 * store.
 */
export interface StoreFields {
  readonly name?: string;
  readonly address?: string;
  readonly city?: string;
  readonly timeZone?: string;
  readonly dayStartsAt?: string;
  /** People that may be inside at a time; null for no limit. */
  readonly capacity?: number | null;
}

export interface NewStore extends StoreFields {
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
}

export async function insertStore(db: Kysely<Schema>, companyKey: string, store: NewStore): Promise<void> {
  const { sid, timeZone, dayStartsAt, ...same } = store;
  await db
    .insertInto('store')
    .values({
      ...same,
      company_id: companyId(companyKey),
      sid,
      time_zone: timeZone,
      ...(dayStartsAt === undefined ? {} : { day_starts_at: dayStartsAt }),
    })
    .execute();
}

/** Changes the given fields, at least one. */
export async function updateStore(
  db: Kysely<Schema>,
  companyKey: string,
  sid: string,
  { timeZone, dayStartsAt, ...same }: StoreFields,
): Promise<void> {
  await db
    .updateTable('store')
    .set({
      ...same,
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...(dayStartsAt === undefined ? {} : { day_starts_at: dayStartsAt }),
    })
    .where('company_id', '=', companyId(companyKey))
    .where('sid', '=', sid)
    .execute();
}

export async function insertCompany(db: Kysely<Schema>, name: string): Promise<void> {
  await db
    .insertInto('company')
    .values({ name, name_key: nameKey(name) })
    .execute();
}

/** Changes how a company's name is spelled; its key stays. */
export async function respellCompany(db: Kysely<Schema>, name: string): Promise<void> {
  await db.updateTable('company').set({ name }).where('name_key', '=', nameKey(name)).execute();
}

export async function insertShopGroup(db: Kysely<Schema>, companyKey: string, name: string): Promise<void> {
  await db
    .insertInto('shop_group')
    .values({ company_id: companyId(companyKey), name, name_key: nameKey(name) })
    .execute();
}

/** Changes how a shop group's name is spelled; its key stays. */
export async function respellShopGroup(db: Kysely<Schema>, companyKey: string, name: string): Promise<void> {
  await db.updateTable('shop_group').set({ name }).where('id', '=', shopGroupId(companyKey, name)).execute();
}

/** Makes these stores of its company, and no others, the members of a shop group. */
export async function setShopGroupStores(
  db: Kysely<Schema>,
  companyKey: string,
  name: string,
  sids: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('shop_group_store')
    .where('shop_group_id', '=', shopGroupId(companyKey, name))
    .execute();
  await db
    .insertInto('shop_group_store')
    .columns(['shop_group_id', 'store_id'])
    .expression((eb) =>
      eb
        .selectFrom('store')
        .select([shopGroupId(companyKey, name).as('shop_group_id'), 'id'])
        .where('company_id', '=', companyId(companyKey))
        .where('sid', '=', sql<string>`any(${sids})`),
    )
    .execute();
}

function shopGroupId(companyKey: string, name: string): RawBuilder<number> {
  return sql`(select id from shop_group
    where company_id = ${companyId(companyKey)} and name_key = ${nameKey(name)})`;
}

/** Inserts or updates a rule of a company. */
export async function writeAlertRule(
  db: Kysely<Schema>,
  companyKey: string,
  rule: StoredAlertRule,
): Promise<void> {
  const fields = { after_seconds: rule.afterSeconds, threshold: rule.threshold, enabled: rule.enabled };
  await db
    .insertInto('alert_rule')
    .values({ company_id: companyId(companyKey), kind: rule.kind, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'kind']).doUpdateSet(fields))
    .execute();
}

/** Inserts or updates a target of a company. */
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
