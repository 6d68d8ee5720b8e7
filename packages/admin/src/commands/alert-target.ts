import { type Command, Option } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { appliedText } from '../topology/applied-text.ts';
import { applyEntry } from '../topology/apply-entry.ts';
import { companyOption, jsonOption, labelOption } from './options.ts';

const help = `
Messages to a URL are POSTed as JSON and signed as Standard Webhooks says; without --secret, a secret is
generated for a new URL, and printed only once. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin alert target --company Acme --label ops --url https://hooks.example/counter`;

interface Options {
  readonly company: string;
  readonly label: string;
  readonly url?: string;
  readonly mail?: string;
  readonly secret?: string;
  readonly on?: true;
  readonly off?: true;
  readonly json?: true;
}

export function addAlertTarget(alert: Command, around: Surroundings): void {
  alert
    .command('target')
    .description('Choose where the alerts of a company are sent.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .option('--url <url>', 'a webhook')
    .addOption(new Option('--mail <address>', 'an e-mail address').conflicts('url'))
    .option('--secret <secret>', 'what messages to the webhook are signed with: whsec_…')
    .addOption(new Option('--off', 'switch the target off').conflicts('on'))
    .option('--on', 'switch the target on again')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async ({ company, json, on, off, ...given }: Options) => {
      const target = { ...given, ...((on || off) && { enabled: on === true }) };
      const applied = await withDatabase(around.env, (db) => applyEntry(db, company, 'alertTargets', target));
      around.print(json ? JSON.stringify(applied) : appliedText(applied));
    });
}
