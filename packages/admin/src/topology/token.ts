import { type ListedCredential, listCredentials } from '@visitor-counter/database/credentials/credentials';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import type { Command } from 'commander';
import type { CommandContext } from '../command/context.ts';
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
import { withDatabase } from '../command/with-database.ts';
import { issueCredential, revokeCredential } from '../credentials/credentials.ts';

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
