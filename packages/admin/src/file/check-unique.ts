import { nameKey } from '@visitor-counter/domain/name-key';
import type { Entry } from './entry.ts';
import { type Problem, wrongValue } from './problem.ts';
import type { Company } from './topology.ts';

/** A value that must be unique among its kind: its path, its text, and the key that is compared. */
interface Claim {
  readonly path: string;
  readonly text: string;
  readonly key: string;
}

/** Finds all values that must be unique and are not. */
export function checkUnique(companies: readonly Company[], problems: Problem[]): void {
  const all = <Value>(list: (company: Company) => readonly Entry<Value>[]) => companies.flatMap(list);
  const groups: Claim[][] = [
    companies.map(({ path, name, key }) => ({ path: `${path}.name`, text: name, key })),
    all((company) => company.devices).map(({ path, value: { serial } }) => {
      return { path: `${path}.serial`, text: serial, key: nameKey(serial) };
    }),
    all((company) => company.credentials).flatMap(({ path, value: { value } }) => {
      return value === undefined ? [] : { path: `${path}.value`, text: value, key: value };
    }),
    ...companies.flatMap(ownClaims),
  ];
  problems.push(...groups.flatMap(findDuplicates));
}

/** The values that must be unique within their company. */
function ownClaims({ stores, shopGroups, credentials, alertRules, alertTargets }: Company): Claim[][] {
  return [
    stores.map(({ path, value: { sid } }) => ({ path: `${path}.sid`, text: sid, key: sid })),
    shopGroups.map(({ path, value: { name } }) => ({ path: `${path}.name`, text: name, key: nameKey(name) })),
    credentials.map(({ path, value: { kind, label } }) => {
      return { path: `${path}.label`, text: label, key: `${kind} ${label}` };
    }),
    alertRules.map(({ path, value: { kind } }) => ({ path: `${path}.kind`, text: kind, key: kind })),
    alertTargets.map(({ path, value: { label } }) => ({ path: `${path}.label`, text: label, key: label })),
    ...shopGroups.map(({ path, value }) =>
      (value.stores ?? []).map((sid, index) => ({ path: `${path}.stores[${index}]`, text: sid, key: sid })),
    ),
  ];
}

function findDuplicates(claims: readonly Claim[]): Problem[] {
  const first = new Map<string, string>();
  return claims.flatMap(({ path, text, key }) => {
    const other = first.get(key);
    if (other === undefined) first.set(key, path);
    return other === undefined ? [] : wrongValue(path, text, `another one than ${other} has`);
  });
}
