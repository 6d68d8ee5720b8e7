import type { CredentialOwner } from '@visitor-counter/database/credentials/find-credential-owners';
import type { Schema } from '@visitor-counter/database/tables/schema';
import type { StoredTopology } from '@visitor-counter/database/topology/stored-topology';
import type { Transaction } from 'kysely';
import type { Problem } from '../file/problem.ts';
import type { Change, NewSecret, PlannedChange } from './change.ts';

/** What a plan is made from, besides the file. */
export interface Facts {
  readonly stored: StoredTopology;
  /** The credentials that have one of the file's values already, by the hex of its SHA-256. */
  readonly owners: ReadonlyMap<string, CredentialOwner>;
  /** When the file is applied (epoch ms). */
  readonly now: number;
  readonly generateSecret: () => string;
}

/** What applying a file would do, as far as it is planned; nothing is done where there are problems. */
export interface Plan extends Facts {
  readonly changes: PlannedChange[];
  readonly secrets: NewSecret[];
  readonly problems: Problem[];
  /** The entries of the file that say what is so already. */
  unchanged: number;
}

/** Plans what an entry changes; an entry without changes is counted as unchanged. */
export function planEntry(plan: Plan, planned: readonly (PlannedChange | undefined)[]): void {
  const changes = planned.filter((change) => change !== undefined);
  if (changes.length === 0) plan.unchanged += 1;
  plan.changes.push(...changes);
}

/** The changes of fields that are given and differ; undefined where there are none. */
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
