import {
  findCredentialOwners,
  insertCredential,
  type ListedCredential,
  listCredentials,
  setCredentialStores,
  updateCredential,
} from '@visitor-counter/database/credentials/credentials';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { CredentialKind, Schema } from '@visitor-counter/database/tables/schema';
import {
  loadTopology,
  lockTopology,
  type StoredCompany,
  type StoredCredential,
} from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Command } from 'commander';
import type { Transaction } from 'kysely';
import { type CommandContext, OperatorError, unknownCompany, withDatabase } from '../command/context.ts';
import {
  checkSecret,
  companyOption,
  jsonOption,
  kindOption,
  labelOption,
  parseExpires,
  storeOption,
} from '../command/options.ts';
import { instantText, table } from '../command/text.ts';

/** Adds the commands about credentials. */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('Issue, list and revoke the credentials of companies.');
  addTokenIssue(token, context);
  addTokenList(token, context);
  addTokenRevoke(token, context);
}

const issueHelp = `
  counts       the Token of the four count operations
  life-signal  the Authorization key of GetLifeSignalInactive
  staff        the live page and corrections

The value is printed only once and not stored. A label that was revoked can be issued again. A label that is in use
is not changed, unless --rotate replaces its value; the old value stops working immediately.

With --store, once or several times, the credential is limited to these stores: in every operation, the read interface,
the live stream and the page. A label keeps its stores when it is issued again, unless you give --store or --all-stores.

Examples:
  admin token issue --company Acme --kind counts --label till --expires 365d
  admin token issue --company Acme --kind staff --label front --store S-1 --store S-2`;

interface IssueOptions {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly expires?: number | null;
  readonly value?: string;
  readonly rotate?: true;
  readonly store?: readonly string[];
  readonly allStores?: true;
  readonly json?: true;
}

function addTokenIssue(token: Command, context: CommandContext): void {
  token
    .command('issue')
    .description('Issue a credential to a company.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(kindOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .option('--expires <when>', 'never (default), 30d, 12h, 8w, a date or an instant', (text) =>
      parseExpires(text),
    )
    .option('--value <value>', 'the value, at least 16 characters; generated when left out')
    .addOption(storeOption().conflicts('allStores'))
    .option('--all-stores', 'remove the limit of a label')
    .option('--rotate', 'replace the value of a label that is in use')
    .addOption(jsonOption())
    .addHelpText('after', issueHelp)
    .action(async ({ json, store, allStores, ...options }: IssueOptions) => {
      checkSecret('--value', options.value);
      const issued = await withDatabase(context.env, (db) =>
        issueCredential(db, { ...options, ...(allStores ? { stores: null } : store && { stores: store }) }),
      );
      const { action, company, kind, label, value, expires, stores } = issued;
      if (json) return context.print(JSON.stringify(issued));
      context.print(`${action} ${kind} credential ${label} of ${company}, expires ${expires ?? 'never'}`);
      if (stores) context.print(`limited to stores ${stores.join(', ')}`);
      context.print(`\nShown only this once:\n  ${value}`);
    });
}

function addTokenList(token: Command, context: CommandContext): void {
  token
    .command('list')
    .description(
      'List credentials: company, kind, label, issue and expiry. Values are not stored, so not shown.',
    )
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(async ({ company, json }: { company?: string; json?: true }) => {
      const now = Date.now();
      const credentials = await withDatabase(context.env, ({ kysely }) => listCredentials(kysely, company));
      const listed = credentials.map((one) => ({ ...one, state: stateOf(one, now) }));
      context.print(json ? JSON.stringify(listed) : credentialTable(listed));
    });
}

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ListedCredential, now: number): State {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= now ? 'expired' : 'active';
}

function credentialTable(credentials: readonly (ListedCredential & { state: State })[]): string {
  return table(
    ['COMPANY', 'KIND', 'LABEL', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'STORES'],
    credentials.map(({ company, kind, label, state, createdAt, expiresAt, lastUsedAt, stores }) => [
      ...[company, kind, label, state],
      ...[instantText(createdAt), instantText(expiresAt), instantText(lastUsedAt)],
      stores === null ? 'all' : stores.join(', '),
    ]),
  );
}

interface RevokeOptions {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly json?: true;
}

function addTokenRevoke(token: Command, context: CommandContext): void {
  token
    .command('revoke')
    .description('Revoke a credential: it stops working immediately. Repeating it changes nothing.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(kindOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action(async ({ json, ...options }: RevokeOptions) => {
      const revoked = await withDatabase(context.env, (db) => revokeCredential(db, options));
      if (json) return context.print(JSON.stringify(revoked));
      const { company, kind, label, changed } = revoked;
      context.print(
        `${changed ? 'revoked' : 'was revoked before:'} ${kind} credential ${label} of ${company}`,
      );
    });
}

export interface CredentialToIssue {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Epoch ms; null for never. Left out: never, or unchanged for a credential that is rotated. */
  readonly expires?: number | null;
  /** Generated when left out. */
  readonly value?: string;
  /** Whether a credential that is in use gets a new value. */
  readonly rotate?: boolean;
  /** The sids of the stores that it gives access to; null for all. Left out: all, or unchanged. */
  readonly stores?: readonly string[] | null;
}

export interface IssuedCredential {
  readonly action: 'created' | 'rotated' | 'reissued';
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly value: string;
  /** RFC 3339 in UTC. */
  readonly expires: string | null;
  /** The sids of the stores that it gives access to; null for all. */
  readonly stores: readonly string[] | null;
}

/**
 * Issues a credential: a new one, one that was revoked, or, with `rotate`, one in use with a new value.
 * Throws OperatorError: unknown-company, unknown-store, in-use, value-taken.
 */
export async function issueCredential(db: Database, wanted: CredentialToIssue): Promise<IssuedCredential> {
  const { kind, label } = wanted;
  const value = wanted.value ?? generateSecret();
  const hash = hashSecret(value);
  const companyKey = nameKey(wanted.company);
  return changeCredential(db, wanted, async (trx, company, stored) => {
    if (stored && !stored.revoked && !wanted.rotate) throw inUse(wanted);
    const sids = storesOf(company, wanted, stored);
    const owners = await findCredentialOwners(trx, [hash]);
    if (owners.length > 0)
      throw new OperatorError('value-taken', 'another credential has this value already');
    const unchanged = stored && !stored.revoked ? stored.expires : null;
    const expires = wanted.expires === undefined ? unchanged : wanted.expires;
    if (stored) await updateCredential(trx, stored.id, { hash, expires, revoked: false });
    else await insertCredential(trx, companyKey, { kind, label, hash, expires });
    await setCredentialStores(trx, companyKey, { kind, label }, sids);
    return {
      action: stored === undefined ? 'created' : stored.revoked ? 'reissued' : 'rotated',
      ...{ company: company.name, kind, label, value },
      expires: expires === null ? null : new Date(expires).toISOString(),
      stores: sids,
    };
  });
}

function storesOf(
  company: StoredCompany,
  { stores }: CredentialToIssue,
  stored: StoredCredential | undefined,
): readonly string[] | null {
  if (stores === undefined) return stored?.stores ? [...stored.stores] : null;
  const unknown = stores?.find((sid) => !company.stores.has(sid));
  if (unknown !== undefined) {
    throw new OperatorError('unknown-store', `${company.name} has no store ${JSON.stringify(unknown)}`);
  }
  return stores && [...new Set(stores)];
}

function inUse({ company, kind, label }: CredentialToIssue): OperatorError {
  const message = `${company} has a ${kind} credential ${label} in use: replace its value with --rotate, or choose another label`;
  return new OperatorError('in-use', message);
}

export interface CredentialToRevoke {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

export interface RevokedCredential extends CredentialToRevoke {
  /** False for one that was revoked before. */
  readonly changed: boolean;
}

/**
 * Revokes a credential; doing it again changes nothing.
 * Throws OperatorError: unknown-company, unknown-credential.
 */
export async function revokeCredential(db: Database, wanted: CredentialToRevoke): Promise<RevokedCredential> {
  return changeCredential(db, wanted, async (trx, company, stored) => {
    if (stored === undefined) {
      const message = `${company.name} has no ${wanted.kind} credential ${wanted.label}; see \`admin token list\``;
      throw new OperatorError('unknown-credential', message);
    }
    const changed = !stored.revoked;
    if (changed) await updateCredential(trx, stored.id, { revoked: true });
    return { company: company.name, kind: wanted.kind, label: wanted.label, changed };
  });
}

/** Runs `change` in a transaction, with the company and the stored credential of this kind and label, if any. */
function changeCredential<Result>(
  { kysely }: Database,
  wanted: CredentialToRevoke,
  change: (
    trx: Transaction<Schema>,
    company: StoredCompany,
    stored: StoredCredential | undefined,
  ) => Promise<Result>,
): Promise<Result> {
  const companyKey = nameKey(wanted.company);
  return kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
    const company = companies.get(companyKey);
    if (company === undefined) throw unknownCompany(wanted.company);
    const isWanted = ({ kind, label }: StoredCredential) => kind === wanted.kind && label === wanted.label;
    return change(trx, company, company.credentials.find(isWanted));
  });
}
