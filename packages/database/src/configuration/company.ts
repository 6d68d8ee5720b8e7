import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import Type, { type Static } from 'typebox';
import type { Db } from '../sql/query-builder.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { storeIdsOf } from './store.ts';
import { name, retentionMonths, sids } from './values.ts';

/** A company as it is saved. It is found by the key of its name; its spelling may change. */
export const Company = Type.Object({ name, retentionMonths: Type.Optional(retentionMonths) });

/** The owner of what is saved. */
export interface Owner {
  readonly id: number;
  readonly name: string;
}

export async function findOwner(db: Db, name: string): Promise<Owner | undefined> {
  return await db
    .selectFrom('company')
    .select(['id', 'name'])
    .where('nameKey', '=', nameKey(name))
    .executeTakeFirst();
}

export async function saveCompany(trx: Db, given: Static<typeof Company>): Promise<Saved> {
  const key = { nameKey: nameKey(given.name) };
  const stored = await lockedRow(trx, 'company', key);
  const values = { name: cleanName(given.name), retentionMonths: given.retentionMonths };
  return await saveRow(trx, 'company', { stored, key, values });
}

/** All companies, or one by its name, with how many stores and devices in use they have. */
export async function listCompanies(db: Db, name?: string) {
  return await db
    .selectFrom('company')
    .select(({ selectFrom, fn }) => [
      'name',
      'retentionMonths',
      selectFrom('store')
        .select(fn.countAll<number>().as('count'))
        .whereRef('store.companyId', '=', 'company.id')
        .as('stores'),
      selectFrom('device')
        .select(fn.countAll<number>().as('count'))
        .whereRef('device.companyId', '=', 'company.id')
        .where('retiredAt', 'is', null)
        .as('devices'),
    ])
    .$if(name !== undefined, (all) => all.where('nameKey', '=', nameKey(name ?? '')))
    .orderBy('nameKey')
    .execute();
}

/** A shop group as it is saved, found by the key of its name. `stores` are all of its stores. */
export const ShopGroup = Type.Object({ name, stores: Type.Optional(sids) });

export async function saveShopGroup(
  trx: Db,
  owner: Owner,
  { name, stores }: Static<typeof ShopGroup>,
): Promise<Saved> {
  const key = { companyId: owner.id, nameKey: nameKey(name) };
  const stored = await lockedRow(trx, 'shopGroup', key);
  const storeIds = stores && (await storeIdsOf(trx, owner, (index) => `stores[${index}]`, stores));
  const values = { name: cleanName(name), storeIds };
  return await saveRow(trx, 'shopGroup', { stored, key, values, fields: { storeIds: 'stores' } });
}
