import type { StoredStore } from '@visitor-counter/database/topology/topology';
import { writeShopGroup, writeStore } from '@visitor-counter/database/topology/write-topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { type Entry, expectation, missingValue } from '../../file/entry.ts';
import { type Company, type ShopGroup, Store } from '../../file/topology.ts';
import { sorted } from './entry-fields.ts';
import { checkStores, type Plan, planEntry, storedOf } from './plan.ts';

export function planStore(plan: Plan, company: Company, entry: Entry<Store>): void {
  const { sid } = entry.value;
  const stored = storedOf(plan, company)?.stores.get(sid);
  const { name, timeZone, ...fields } = { ...emptyStore, ...stored, ...entry.value };
  if (name === undefined || timeZone === undefined) {
    reportMissing(plan, entry);
    return;
  }
  const store = { ...fields, name: cleanName(name), timeZone };
  planEntry(
    plan,
    { kind: 'store', key: sid, company: company.name },
    { stored: stored && fieldsOf(stored), wanted: fieldsOf(store) },
    (trx) => writeStore(trx, company.key, store),
  );
}

function fieldsOf({ name, address, city, timeZone, dayStartsAt, capacity }: StoredStore) {
  return { name, address, city, timeZone, dayStartsAt, capacity };
}

const emptyStore: Omit<StoredStore, 'sid' | 'name' | 'timeZone'> & { name?: string; timeZone?: string } = {
  address: '',
  city: '',
  dayStartsAt: '00:00',
  capacity: null,
};

function reportMissing(plan: Plan, { path, value, unusable }: Entry<Store>): void {
  for (const field of ['name', 'timeZone'] as const) {
    if (value[field] !== undefined || unusable.has(field)) continue;
    const expected = `${expectation(Store.properties[field])}, since this store is new`;
    plan.problems.push(missingValue(`${path}.${field}`, expected));
  }
}

export function planShopGroup(plan: Plan, company: Company, { path, value }: Entry<ShopGroup>): void {
  const name = cleanName(value.name);
  const { stores } = value;
  checkStores(plan, company, `${path}.stores`, stores);
  const stored = storedOf(plan, company)?.shopGroups.get(nameKey(name));
  planEntry(
    plan,
    { kind: 'shopGroup', key: name, company: company.name },
    {
      stored: stored && { name: stored.name, stores: sorted(stored.stores) },
      wanted: { name, stores: sorted(new Set(stores ?? stored?.stores)) },
    },
    (trx) => writeShopGroup(trx, company.key, name, stores),
  );
}
