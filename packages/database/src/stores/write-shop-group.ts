import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';
import { companyId } from './references.ts';

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
