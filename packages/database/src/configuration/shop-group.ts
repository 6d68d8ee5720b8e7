import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../sql/schema.ts';
import type { Owner } from './company.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { storeIdsOf } from './store.ts';
import { name, sids } from './values.ts';

/** A shop group as it is saved, found by the key of its name. `stores` are all of its stores. */
export const ShopGroup = Type.Object({ name, stores: Type.Optional(sids) });

export async function saveShopGroup(
  trx: Kysely<DB>,
  owner: Owner,
  { name, stores }: Static<typeof ShopGroup>,
): Promise<Saved> {
  const key = { companyId: owner.id, nameKey: nameKey(name) };
  const stored = await lockedRow(trx, 'shopGroup', key);
  const storeIds = stores && (await storeIdsOf(trx, owner, (index) => `stores[${index}]`, stores));
  const values = { name: cleanName(name), storeIds };
  return await saveRow(trx, 'shopGroup', { stored, key, values, fields: { storeIds: 'stores' } });
}
