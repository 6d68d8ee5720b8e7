import { type AuditSubject, type Author, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { findCredentialOwners } from '@visitor-counter/database/credentials/credentials';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { retryOnConflict } from '@visitor-counter/database/ingest/storing-error';
import { readSecretsKey, type SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { DB } from '@visitor-counter/database/sql/schema';
import { loadTopology, lockTopology, type StoredTopology } from '@visitor-counter/database/topology/topology';
import { writeCompany } from '@visitor-counter/database/topology/write-topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import type { Output } from '../command/command.ts';
import { type CommandContext, withChanges } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { InvalidFileError } from '../file/entry.ts';
import { type ReadTopology, readTopology } from '../file/read-topology.ts';
import type { Company } from '../file/topology.ts';
import {
  type Change,
  type Facts,
  type NewSecret,
  type Plan,
  type PlannedChange,
  planEntry,
  storedOf,
} from './plan/plan.ts';
import { planAlertRule, planAlertTarget } from './plan/plan-alerts.ts';
import { planCredential } from './plan/plan-credential.ts';
import { planDevice } from './plan/plan-device.ts';
import { planReport } from './plan/plan-report.ts';
import { planShopGroup, planStore } from './plan/plan-store.ts';

/** The result of applying a file, as `--json` prints it. */
export interface Applied {
  readonly changes: readonly Change[];
  /** The secrets that were generated, shown only here; secrets from the file are not repeated. */
  readonly secrets: readonly NewSecret[];
  /** How many entries of the file changed nothing. */
  readonly unchanged: number;
}

interface ApplyOptions {
  /** Throws an error that refuses the file because of what is stored. */
  readonly check?: ((stored: StoredTopology) => void) | undefined;
  /** The keys of webhooks; undefined if there are none. */
  readonly secretsKey?: SecretsKey | undefined;
}

/**
 * Makes the database match a file, in one transaction, and records every change in the audit log. Concurrent calls run
 * one after the other. Throws InvalidFileError with all problems of the file, and a ConfigurationError if a webhook needs
 * another key. After any error nothing was changed.
 */
export async function applyTopology(
  db: Database,
  author: Author,
  file: string,
  read: ReadTopology,
  { check, secretsKey }: ApplyOptions = {},
): Promise<Applied> {
  const { companies } = read;
  /* Alerts and judgements lock the same rows in another order. */
  return retryOnConflict(() =>
    db.kysely.transaction().execute(async (trx) => {
      await lockTopology(trx);
      const stored = await loadTopology(trx, {
        companies: companies.map(({ key }) => key),
        devices: companies.flatMap(({ devices }) => devices.map(({ serial }) => nameKey(serial))),
      });
      check?.(stored);
      const values = companies.flatMap(({ credentials }) => credentials.flatMap(({ value }) => value ?? []));
      const owners = await findCredentialOwners(trx, values.map(hashSecret));
      const facts: Facts = {
        stored,
        unusable: new Set(read.problems.map(({ path }) => path.replace(/\[\d+\]$/, ''))),
        owners: new Map(owners.map((owner) => [Buffer.from(owner.hash).toString('hex'), owner])),
        now: Date.now(),
        secretsKey,
      };
      const { changes, secrets, unchanged, problems } = planTopology(companies, facts);
      if (read.problems.length + problems.length > 0) {
        throw new InvalidFileError(file, [...read.problems, ...problems]);
      }
      const made: Change[] = [];
      for (const planned of changes) made.push(await make(trx, author, planned));
      return { changes: made, secrets, unchanged };
    }),
  );
}

/**
 * Plans the changes that make the database match a file: missing entries are created, different ones are changed, and
 * those that the file leaves out are unchanged. Finds the problems of the file that depend on the database.
 */
function planTopology(companies: readonly Company[], facts: Facts): Plan {
  const plan: Plan = { ...facts, changes: [], secrets: [], problems: [], unchanged: 0 };
  for (const company of companies) {
    planCompany(plan, company);
    for (const store of company.stores) planStore(plan, company, store);
    for (const group of company.shopGroups) planShopGroup(plan, company, group);
    for (const device of company.devices) planDevice(plan, company, device);
    for (const credential of company.credentials) planCredential(plan, company, credential);
    for (const rule of company.alertRules) planAlertRule(plan, company, rule);
    for (const target of company.alertTargets) planAlertTarget(plan, company, target);
    for (const report of company.reports) planReport(plan, company, report);
  }
  return plan;
}

function planCompany(plan: Plan, company: Company): void {
  const { name } = company;
  const stored = storedOf(plan, company);
  const about = { kind: 'company', key: name, company: name } as const;
  const retentionMonths =
    company.retentionMonths === undefined ? (stored?.retentionMonths ?? null) : company.retentionMonths;
  const fields = {
    stored: stored && { name: stored.name, retentionMonths: stored.retentionMonths },
    wanted: { name, retentionMonths },
  };
  planEntry(plan, about, fields, (trx) => writeCompany(trx, { name, retentionMonths }));
}

async function make(
  trx: Transaction<DB>,
  author: Author,
  { change, details, write }: PlannedChange,
): Promise<Change> {
  const { action, kind, key, company } = change;
  const crossings = await write(trx);
  const moved = typeof crossings === 'number' && { crossings };
  await recordAudit(trx, author, {
    action,
    company,
    subject: { kind: kindNames[kind], key },
    details: { ...details, ...moved },
  });
  return { ...change, ...moved };
}

/** An entry of an existing company, in the form of a topology file. */
interface EntryToApply {
  readonly company: string;
  readonly list: 'stores' | 'devices' | 'alertRules' | 'alertTargets' | 'reports';
  readonly entry: object;
}

/**
 * Applies one entry; `check` as in `applyTopology`. Throws OperatorError for an unknown company, and InvalidFileError if the
 * entry is invalid.
 */
export function applyEntry(
  context: CommandContext,
  { company, list, entry }: EntryToApply,
  check?: ApplyOptions['check'],
): Promise<Applied> {
  return withChanges(context, async (db, author) => {
    const { name } = await findCompany(db.kysely, company);
    const read = readTopology(JSON.stringify({ companies: [{ name, [list]: [entry] }] }));
    const secretsKey = list === 'alertTargets' ? await readSecretsKey(context.env) : undefined;
    return applyTopology(db, author, 'command line', read, { check, secretsKey });
  });
}

/** The output of a command that has applied a file or an entry. */
export function appliedOutput(applied: Applied): Output {
  return { json: applied, text: appliedText(applied) };
}

function appliedText({ changes, secrets, unchanged }: Applied): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const counts = `${count('created')} created, ${count('changed')} changed, ${count('moved')} moved, ${unchanged} unchanged`;
  const newSecrets =
    secrets.length === 0 ? [] : ['', 'New secrets, shown only this once:', ...secrets.map(secretText)];
  return [...changes.map(changeText), counts, ...newSecrets].join('\n');
}

const kindNames: Record<Change['kind'], AuditSubject['kind']> = {
  company: 'company',
  store: 'store',
  shopGroup: 'shop group',
  device: 'device',
  credential: 'credential',
  alertRule: 'alert rule',
  alertTarget: 'alert target',
  report: 'mail report',
};

function changeText({ action, kind, key, company, fields, crossings }: Change): string {
  const owner = kind === 'company' ? '' : ` of ${company}`;
  const what = action === 'changed' && fields ? `: ${fields.join(', ')}` : '';
  const along = crossings ? `, ${crossings} crossings with it` : '';
  return `${action} ${kindNames[kind]} ${key}${owner}${what}${along}`;
}

function secretText(secret: NewSecret): string {
  if (secret.kind === 'device') return `  device ${secret.serial} of ${secret.company}: ${secret.secret}`;
  if (secret.kind === 'alertTarget')
    return `  alert target ${secret.label} of ${secret.company}: ${secret.secret}`;
  return `  ${secret.credentialKind} credential ${secret.label} of ${secret.company}: ${secret.value}`;
}
