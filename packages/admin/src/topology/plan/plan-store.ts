import type { StoredStore } from '@visitor-counter/database/topology/topology';
import { writeShopGroup, writeStore } from '@visitor-counter/database/topology/write-topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { expectation } from '../../file/entry.ts';
import { type Company, type ShopGroup, Store } from '../../file/topology.ts';
import { addMissing, checkStores, type Plan, planEntry, sidSet, storedOf } from './plan.ts';

export function planStore(plan: Plan, company: Company, { path, sid, ...given }: Store): void {
  const stored = storedOf(plan, company)?.stores.get(sid);
  const { sid: _, ...before } = stored ?? newStore;
  const fields = { ...before, ...given };
  const { name, timeZone } = fields;
  if (name === undefined || timeZone === undefined) {
    for (const field of ['name', 'timeZone'] as const) {
      const expected = `${expectation(Store.properties[field])}, since this store is new`;
      if (given[field] === undefined) addMissing(plan, `${path}.${field}`, expected);
    }
    return;
  }
  const wanted = { ...fields, name: cleanName(name), timeZone };
  const { openingHours, staff } = given;
  planEntry(plan, { kind: 'store', key: sid, company: company.name }, { stored, wanted }, (trx) =>
    writeStore(trx, company.key, { sid, ...wanted, openingHours, staff }, plan.now),
  );
}

/** A store of which the file has only the sid. */
const newStore: Omit<StoredStore, 'name' | 'timeZone'> & Partial<Record<'name' | 'timeZone', undefined>> = {
  sid: '',
  name: undefined,
  address: '',
  city: '',
  timeZone: undefined,
  dayStartsAt: '00:00',
  capacity: null,
  openingHours: null,
  staff: null,
};

export function planShopGroup(plan: Plan, company: Company, { path, ...given }: ShopGroup): void {
  const name = cleanName(given.name);
  checkStores(plan, company, `${path}.stores`, given.stores);
  const stored = storedOf(plan, company)?.shopGroups.get(nameKey(name));
  const wanted = { name, stores: sidSet(given.stores ?? stored?.stores ?? []) };
  planEntry(
    plan,
    { kind: 'shopGroup', key: name, company: company.name },
    { stored: stored && { name: stored.name, stores: sidSet(stored.stores) }, wanted },
    (trx) => writeShopGroup(trx, company.key, wanted),
  );
}
