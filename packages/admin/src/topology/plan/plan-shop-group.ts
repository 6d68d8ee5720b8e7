import {
  insertShopGroup,
  respellShopGroup,
  setShopGroupStores,
} from '@visitor-counter/database/topology/write-topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { Entry } from '../../file/entry.ts';
import type { Company, ShopGroup } from '../../file/topology.ts';
import { type Plan, planEntry, planFields, unknownStore } from './plan.ts';

export function planShopGroup(plan: Plan, company: Company, { path, value }: Entry<ShopGroup>): void {
  const name = cleanName(value.name);
  const sids = value.stores;
  for (const [index, sid] of (sids ?? []).entries()) {
    const problem = unknownStore(plan, company, sid, `${path}.stores[${index}]`);
    if (problem) plan.problems.push(problem);
  }
  const about = { kind: 'shopGroup', key: name, company: company.name } as const;
  const stored = plan.stored.companies.get(company.key)?.shopGroups.get(nameKey(name));
  if (stored === undefined) {
    const write = async (trx: Parameters<typeof insertShopGroup>[0]) => {
      await insertShopGroup(trx, company.key, name);
      if (sids) await setShopGroupStores(trx, company.key, name, sids);
    };
    planEntry(plan, [{ change: { action: 'created', ...about }, write }]);
    return;
  }
  const renamed = stored.name !== name;
  const regrouped = sids !== undefined && stored.stores.symmetricDifference(new Set(sids)).size > 0;
  planEntry(plan, [
    planFields(about, { name: renamed, stores: regrouped }, async (trx) => {
      if (renamed) await respellShopGroup(trx, company.key, name);
      if (regrouped) await setShopGroupStores(trx, company.key, name, sids);
    }),
  ]);
}
