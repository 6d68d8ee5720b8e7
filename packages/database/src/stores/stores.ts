import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';
import { joinCurrentStore } from './store-facts.ts';

/** The stores of all companies, or of one, by company and sid, with the number of devices in use there. */
export async function listStores(db: Kysely<DB>, company?: string) {
  const devices = sql<number>`(
    select count(*) from device ${joinCurrentStore()}
    where retired_at is null and current.store_id = store.id
      and device.id in (select device_id from device_assignment where store_id = store.id)
  )`;
  return await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.companyId')
    .select(['company.name as company', 'sid', 'store.name', 'timeZone', 'dayStartsAt', 'capacity'])
    .select(devices.as('devices'))
    .$if(company !== undefined, (stores) => stores.where('company.nameKey', '=', nameKey(company ?? '')))
    .orderBy('company.nameKey')
    .orderBy('sid', (order) => order.collate('C'))
    .execute();
}

/** The stores with a sid, of all companies or of one, with the names of their companies. */
export async function findStores(db: Kysely<DB>, sid: string, company?: string) {
  return await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.companyId')
    .select(['store.id', 'store.companyId', 'company.name as company'])
    .where('sid', '=', sid)
    .$if(company !== undefined, (stores) => stores.where('company.nameKey', '=', nameKey(company ?? '')))
    .execute();
}

/** Whether a company, or any, has a shop group of this name. */
export async function isShopGroup(db: Kysely<DB>, name: string, companyId?: number): Promise<boolean> {
  const groups = db
    .selectFrom('shopGroup')
    .select('id')
    .where('nameKey', '=', nameKey(name))
    .$if(companyId !== undefined, (own) => own.where('companyId', '=', companyId ?? 0));
  return (await groups.executeTakeFirst()) !== undefined;
}

/** The sids of the stores in a column that limits something to them, sorted; null without a limit. */
export function sidsIn(column: string): RawBuilder<string[] | null> {
  const ids = sql.ref(column);
  return sql`case when ${ids} is not null
    then array(select sid from store where store.id = any(${ids}) order by sid collate "C")
  end`;
}
