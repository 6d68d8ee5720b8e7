import type { CredentialOwner } from '@visitor-counter/database/credentials/credentials';
import type { CredentialKind, Schema } from '@visitor-counter/database/tables/schema';
import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { insertCompany, respellCompany } from '@visitor-counter/database/topology/write-topology';
import type { Transaction } from 'kysely';
import { type Problem, wrongValue } from '../../file/entry.ts';
import type { Company, Topology } from '../../file/topology.ts';
import { planAlertRule, planAlertTarget } from './plan-alerts.ts';
import { planCredential } from './plan-credential.ts';
import { planDevice } from './plan-device.ts';
import { planShopGroup, planStore } from './plan-store.ts';

/** One thing that applying a file changed, as `--json` prints it. */
export interface Change {
  readonly action: 'created' | 'changed' | 'moved';
  readonly kind: 'company' | 'store' | 'shopGroup' | 'device' | 'credential' | 'alertRule' | 'alertTarget';
  /** Its name, sid or serial; `<kind>/<label>` of a credential. */
  readonly key: string;
  readonly company: string;
  /** The changed properties, by their names in the file; left out for created entries. */
  readonly fields?: readonly string[];
  /** How many stored crossings were moved with a device. */
  readonly crossings?: number;
}

/**
 * A change and how to write it; changes are written in the order in which they are planned. A move returns how many
 * crossings were moved.
 */
export type PlannedChange =
  | { readonly change: Change; readonly write: (trx: Transaction<Schema>) => Promise<void> }
  | { readonly change: Change; readonly move: (trx: Transaction<Schema>) => Promise<number> };

/** A secret that was generated; it is shown only once. */
export type NewSecret =
  | { readonly kind: 'device'; readonly company: string; readonly serial: string; readonly secret: string }
  | {
      readonly kind: 'credential';
      readonly company: string;
      readonly credentialKind: CredentialKind;
      readonly label: string;
      readonly value: string;
    }
  | {
      readonly kind: 'alertTarget';
      readonly company: string;
      readonly label: string;
      readonly secret: string;
    };

/** The inputs of a plan in addition to the file. */
export interface Facts {
  readonly stored: StoredTopology;
  /** The credentials that have one of the file's values already, by the hex of its SHA-256. */
  readonly owners: ReadonlyMap<string, CredentialOwner>;
  /** When the file is applied (epoch ms). */
  readonly now: number;
  readonly generateSecret: () => string;
}

/** The planned changes of a file. If there are problems, nothing is applied. */
export interface Plan extends Facts {
  readonly changes: PlannedChange[];
  readonly secrets: NewSecret[];
  readonly problems: Problem[];
  /** How many entries of the file match the database already. */
  unchanged: number;
}

/** Plans what an entry changes; an entry without changes is counted as unchanged. */
export function planEntry(plan: Plan, planned: readonly (PlannedChange | undefined)[]): void {
  const changes = planned.filter((change) => change !== undefined);
  if (changes.length === 0) plan.unchanged += 1;
  plan.changes.push(...changes);
}

/** The change of the fields that differ; undefined if there are none. */
export function planFields(
  about: Pick<Change, 'kind' | 'key' | 'company'>,
  fields: Readonly<Record<string, boolean>>,
  write: (trx: Transaction<Schema>) => Promise<void>,
): PlannedChange | undefined {
  const changed = Object.keys(fields).filter((field) => fields[field]);
  return changed.length === 0
    ? undefined
    : { change: { action: 'changed', ...about, fields: changed }, write };
}

/** The problem with a reference to a store that is neither in the file nor in the database. */
export function unknownStore(plan: Plan, company: Company, sid: string, path: string): Problem | undefined {
  const known =
    company.stores.some((store) => store.value.sid === sid) ||
    plan.stored.companies.get(company.key)?.stores.has(sid);
  return known ? undefined : wrongValue(path, sid, `the sid of a store of ${company.name}`);
}

/**
 * Plans the changes that make the database match a file: missing entries are created, different ones are changed, and
 * those that the file leaves out are unchanged. Finds the problems of the file that depend on the database.
 */
export function planTopology(topology: Topology, facts: Facts): Plan {
  const plan: Plan = { ...facts, changes: [], secrets: [], problems: [], unchanged: 0 };
  for (const company of topology.companies) {
    planCompany(plan, company);
    for (const store of company.stores) planStore(plan, company, store);
    for (const group of company.shopGroups) planShopGroup(plan, company, group);
    for (const device of company.devices) planDevice(plan, company, device);
    for (const credential of company.credentials) planCredential(plan, company, credential);
    for (const rule of company.alertRules) planAlertRule(plan, company, rule);
    for (const target of company.alertTargets) planAlertTarget(plan, company, target);
  }
  return plan;
}

function planCompany(plan: Plan, { name, key }: Company): void {
  const about = { kind: 'company', key: name, company: name } as const;
  const stored = plan.stored.companies.get(key);
  if (stored === undefined) {
    planEntry(plan, [{ change: { action: 'created', ...about }, write: (trx) => insertCompany(trx, name) }]);
    return;
  }
  planEntry(plan, [planFields(about, { name: stored.name !== name }, (trx) => respellCompany(trx, name))]);
}
