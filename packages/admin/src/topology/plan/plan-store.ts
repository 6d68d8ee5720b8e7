import type { StoredStore } from '@visitor-counter/database/topology/topology';
import {
  insertShopGroup,
  insertStore,
  respellShopGroup,
  type StoreFields,
  setShopGroupStores,
  updateStore,
} from '@visitor-counter/database/topology/write-topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { type Entry, expectation, missingValue } from '../../file/entry.ts';
import { type Company, type ShopGroup, Store } from '../../file/topology.ts';
import { type Plan, planEntry, planFields, unknownStore } from './plan.ts';

export function planStore(plan: Plan, company: Company, entry: Entry<Store>): void {
  const { sid, ...given } = entry.value;
  const fields = given.name === undefined ? given : { ...given, name: cleanName(given.name) };
  const stored = plan.stored.companies.get(company.key)?.stores.get(sid);
  if (stored === undefined) {
    planNewStore(plan, company, entry, fields);
    return;
  }
  planEntry(plan, [
    planFields({ kind: 'store', key: sid, company: company.name }, differing(fields, stored), (trx) =>
      updateStore(trx, company.key, sid, fields),
    ),
  ]);
}

function planNewStore(plan: Plan, company: Company, entry: Entry<Store>, fields: StoreFields): void {
  const { sid } = entry.value;
  const { name, timeZone } = fields;
  for (const field of ['name', 'timeZone'] as const) {
    if (fields[field] !== undefined || entry.unusable.has(field)) continue;
    const expected = `${expectation(Store.properties[field])}, since this store is new`;
    plan.problems.push(missingValue(`${entry.path}.${field}`, expected));
  }
  if (name === undefined || timeZone === undefined) return;
  planEntry(plan, [
    {
      change: { action: 'created', kind: 'store', key: sid, company: company.name },
      write: (trx) => insertStore(trx, company.key, { ...fields, sid, name, timeZone }),
    },
  ]);
}

function differing(fields: StoreFields, stored: StoredStore): Record<keyof StoreFields, boolean> {
  const differs = (field: keyof StoreFields) =>
    fields[field] !== undefined && fields[field] !== stored[field];
  return {
    name: differs('name'),
    address: differs('address'),
    city: differs('city'),
    timeZone: differs('timeZone'),
    dayStartsAt: differs('dayStartsAt'),
    capacity: differs('capacity'),
  };
}

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
