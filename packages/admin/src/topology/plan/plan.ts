import { isDeepStrictEqual } from 'node:util';
import type { CredentialKind, CredentialOwner } from '@visitor-counter/database/credentials/credentials';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { DB } from '@visitor-counter/database/sql/schema';
import type { StoredCompany, StoredTopology } from '@visitor-counter/database/topology/topology';
import type { Transaction } from 'kysely';
import { missingValue, type Problem, wrongValue } from '../../file/entry.ts';
import type { Company } from '../../file/topology.ts';

/** One thing that applying a file changed, as `--json` prints it. */
export interface Change {
  readonly action: 'created' | 'changed' | 'moved';
  readonly kind:
    | 'company'
    | 'store'
    | 'shopGroup'
    | 'device'
    | 'credential'
    | 'alertRule'
    | 'alertTarget'
    | 'report';
  /** Its name, sid or serial; `<kind>/<label>` of a credential. */
  readonly key: string;
  readonly company: string;
  /** The changed properties, by their names in the file; left out for created entries. */
  readonly fields?: readonly string[];
  /** How many stored crossings were moved with a device. */
  readonly crossings?: number;
}

/**
 * A change and how to write it; changes are written in the order in which they are planned. `details` are for the audit log.
 */
export interface PlannedChange {
  readonly change: Change;
  readonly details: Readonly<Record<string, unknown>>;
  readonly write: Write;
}

/** Writes a change; a move of a device returns how many crossings were moved. */
type Write = (trx: Transaction<DB>) => Promise<void> | Promise<number>;

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
  /** The paths of the values in the file that cannot be used. */
  readonly unusable: ReadonlySet<string>;
  /** The credentials that already have one of the values in the file, by the hex of the SHA-256 of the value. */
  readonly owners: ReadonlyMap<string, CredentialOwner>;
  /** When the file is applied (epoch ms). */
  readonly now: number;
  /** The key of webhooks; undefined if there is none. */
  readonly secretsKey: SecretsKey | undefined;
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
export function addChanges(plan: Plan, changes: readonly PlannedChange[]): void {
  if (changes.length === 0) plan.unchanged += 1;
  plan.changes.push(...changes);
}

/** The fields of an entry by their names in the file, as they are stored (undefined if it is new) and as wanted. */
interface EntryFields {
  readonly stored: object | undefined;
  readonly wanted: object;
}

/** The change of an entry that `write` creates or changes as a whole; none if it is stored as wanted. */
export function changeOf(
  about: Pick<Change, 'kind' | 'key' | 'company'>,
  { stored, wanted }: EntryFields,
  write: Write,
): PlannedChange[] {
  const fields = Object.entries(wanted);
  if (stored === undefined) {
    const filled = fields.filter(([, value]) => value !== null && value !== '');
    const details = Object.fromEntries(filled.map(([name, value]) => [name, shown(value)]));
    return [{ change: { action: 'created', ...about }, details, write }];
  }
  const before: Readonly<Record<string, unknown>> = { ...stored };
  const changed = fields.filter(([name, value]) => !isDeepStrictEqual(before[name], value));
  if (changed.length === 0) return [];
  const details = changed.map(([name, value]) => [name, { from: shown(before[name]), to: shown(value) }]);
  const change = { action: 'changed', ...about, fields: changed.map(([name]) => name) } as const;
  return [{ change, details: Object.fromEntries(details), write }];
}

export function planEntry(plan: Plan, ...change: Parameters<typeof changeOf>): void {
  addChanges(plan, changeOf(...change));
}

/** A value that is or contains a secret: it is compared, and the audit log has only `shown` of it. */
export class Confidential {
  readonly value: string | null;
  readonly shown: string;

  constructor(value: string | null, shown = '…') {
    this.value = value;
    this.shown = shown;
  }
}

function shown(value: unknown): unknown {
  return value instanceof Confidential ? value.shown : (value ?? null);
}

/** The stored company; undefined if the company is new. */
export function storedOf(plan: Plan, { key }: Company): StoredCompany | undefined {
  return plan.stored.companies.get(key);
}

/** Adds a problem for a property that is missing, unless the file has one that cannot be used. */
export function addMissing(plan: Plan, path: string, expected: string): void {
  if (!plan.unusable.has(path)) plan.problems.push(missingValue(path, expected));
}

/** Adds a problem for each store that is neither in the file nor in the database. */
export function checkStores(
  plan: Plan,
  company: Company,
  path: string,
  sids: readonly string[] | null = [],
): void {
  for (const [index, sid] of (sids ?? []).entries()) checkStore(plan, company, `${path}[${index}]`, sid);
}

export function checkStore(plan: Plan, company: Company, path: string, sid: string): void {
  const isKnown =
    company.stores.some((store) => store.sid === sid) || storedOf(plan, company)?.stores.has(sid);
  if (!isKnown) plan.problems.push(wrongValue(path, sid, `the sid of a store of ${company.name}`));
}

/** A set of sids as it is compared: each once, sorted. */
export function sidSet(sids: readonly string[]): readonly string[] {
  return [...new Set(sids)].toSorted();
}
