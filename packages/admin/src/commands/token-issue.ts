import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { issueCredential } from '../credentials/issue-credential.ts';
import {
  checkSecret,
  companyOption,
  jsonOption,
  kindOption,
  labelOption,
  parseExpires,
  storeOption,
} from './options.ts';

const help = `
  counts       the Token of the four count operations
  life-signal  the Authorization key of GetLifeSignalInactive
  staff        the live page and corrections

The value is printed only once and not stored. A label that was revoked can be issued again. A label that is in use
is not changed, unless --rotate replaces its value; the old value stops working at once.

With --store, once or several times, the credential is limited to these stores: in every operation, the read interface,
the live stream and the page. A label keeps its stores when it is issued again, unless you give --store or --all-stores.

Examples:
  admin token issue --company Acme --kind counts --label till --expires 365d
  admin token issue --company Acme --kind staff --label front --store S-1 --store S-2`;

interface Options {
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

export function addTokenIssue(token: Command, around: Surroundings): void {
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
    .addHelpText('after', help)
    .action(async ({ json, store, allStores, ...options }: Options) => {
      checkSecret('--value', options.value);
      const issued = await withDatabase(around.env, (db) =>
        issueCredential(db, { ...options, ...(allStores ? { stores: null } : store && { stores: store }) }),
      );
      const { action, company, kind, label, value, expires, stores } = issued;
      if (json) return around.print(JSON.stringify(issued));
      around.print(`${action} ${kind} credential ${label} of ${company}, expires ${expires ?? 'never'}`);
      if (stores) around.print(`opens ${stores.join(', ')} alone`);
      around.print(`\nShown only this once:\n  ${value}`);
    });
}
