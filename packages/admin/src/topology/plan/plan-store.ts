import type { StoredStore } from '@visitor-counter/database/topology/topology';
import { writeShopGroup, writeStore } from '@visitor-counter/database/topology/write-topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { readOpeningHours } from '@visitor-counter/domain/read-opening-hours';
import type { ReadValue, ValueProblem } from '@visitor-counter/domain/read-value';
import { readStaffPlan } from '@visitor-counter/domain/staff-plan';
import {
  type Entry,
  expectation,
  missingValue,
  type Problem,
  unknownName,
  wrongValue,
} from '../../file/entry.ts';
import { type Company, type ShopGroup, Store } from '../../file/topology.ts';
import { sorted } from './entry-fields.ts';
import { checkStores, type Plan, planEntry, storedOf } from './plan.ts';

export function planStore(plan: Plan, company: Company, entry: Entry<Store>): void {
  const { openingHours: givenHours, staff: givenStaff, ...given } = entry.value;
  const stored = storedOf(plan, company)?.stores.get(given.sid);
  const openingHours = readSetting(plan, `${entry.path}.openingHours`, givenHours, readOpeningHours);
  const staff = readSetting(plan, `${entry.path}.staff`, givenStaff, readStaffPlan);
  const { name, timeZone, ...fields } = { ...emptyStore, ...stored, ...given };
  if (name === undefined || timeZone === undefined) {
    reportMissing(plan, entry);
    return;
  }
  const store = { ...fields, name: cleanName(name), timeZone };
  const settings = {
    ...(openingHours !== undefined && { openingHours }),
    ...(staff !== undefined && { staff }),
  };
  const wanted = { ...store, ...settings };
  const { openingHours: _hours, staff: _staff, ...written } = store;
  planEntry(
    plan,
    { kind: 'store', key: given.sid, company: company.name },
    { stored: stored && fieldsOf(stored), wanted: fieldsOf(wanted) },
    (trx) => writeStore(trx, company.key, { ...written, ...settings }, plan.now),
  );
}

/** What a store is declared to have: null, or as `read` reads it; undefined if it is left out or cannot be used. */
function readSetting<Value>(
  plan: Plan,
  path: string,
  given: unknown,
  read: (value: unknown, path: string) => ReadValue<Value>,
): Value | null | undefined {
  if (given === undefined || given === null) return given;
  const result = read(given, path);
  if (result.problems === undefined) return result.value;
  plan.problems.push(...result.problems.map(problemOf));
  return undefined;
}

function problemOf(problem: ValueProblem): Problem {
  if (problem.known !== undefined) return unknownName(problem.path, problem.known);
  const { path, value, expected } = problem;
  return value === undefined ? missingValue(path, expected) : wrongValue(path, value, expected);
}

function fieldsOf(store: StoredStore) {
  const { name, address, city, timeZone, dayStartsAt, capacity, openingHours, staff } = store;
  return { name, address, city, timeZone, dayStartsAt, capacity, openingHours, staff };
}

const emptyStore: Omit<StoredStore, 'sid' | 'name' | 'timeZone'> & { name?: string; timeZone?: string } = {
  address: '',
  city: '',
  dayStartsAt: '00:00',
  capacity: null,
  openingHours: null,
  staff: null,
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
