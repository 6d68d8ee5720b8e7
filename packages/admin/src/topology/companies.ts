import { alertKinds, kindFacts } from '@visitor-counter/database/alerts/alert-kinds';
import { listCompanies } from '@visitor-counter/database/configuration/company';
import { listReports } from '@visitor-counter/database/reports/mail-reports';
import { listStores } from '@visitor-counter/database/stores/stores';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { helpRows } from '@visitor-counter/service/command-line';
import { command, group } from '../command/command.ts';
import { listCommand } from '../command/list-command.ts';
import { nameKind } from '../command/options.ts';
import { companies, lists } from '../file/lists.ts';
import { listAlertsCommand, testAlertCommand } from './alerts.ts';
import { removeCommand, removeEntry, setCommand } from './entities.ts';

const removeCompany = command({
  name: 'remove',
  description: 'Remove a company that was added by mistake and has nothing.',
  argument: { name: '<name>', description: 'the company, by its name', kind: nameKind },
  run: (context, _options, company) =>
    removeEntry(context, { company, what: 'company' }, 'company', ({ id }) => ({ id })),
});

export const companyCommands = group('company', 'Set, list or remove companies.', [
  setCommand(companies, {
    description: 'Add a company, or change for how many months it keeps crossings.',
    help: `
Crossings that are older than --retention-months are deleted within seconds, and those that arrive later are refused;
only a backup restores them. Counts by quarter hour, hour and day are kept for ever.

Examples:
  admin company set Acme
  admin company set Acme --retention-months 24`,
    options: {},
    ownerOf: async (_trx, _company, { name }) => ({ id: 0, name: cleanName(String(name)) }),
    questionOf: ({ name, retentionMonths: months }) =>
      typeof months === 'number'
        ? `Remove the crossings of ${name} that are older than ${months} ${months === 1 ? 'month' : 'months'} for good?`
        : undefined,
  }),
  listCommand('List companies, with their stores and devices in use.', listCompanies),
  removeCompany,
]);

export const storeCommands = group('store', 'Set, list or remove stores.', [
  setCommand(lists.stores, {
    description: 'Add a store, or change it.',
    help: `
Opening hours and staff are YAML, as in the file of \`admin apply\`.

Examples:
  admin store set S-2 --company Acme --name "Second Street" --time-zone America/Los_Angeles
  admin store set S-2 --company Acme --opening-hours '{week: {monday: ["09:00-18:00"], friday: ["09:00-20:00"]}}'`,
  }),
  listCommand('List stores.', listStores),
  removeCommand(lists.stores, 'It must have no devices and no data.'),
]);

export const groupCommands = group('group', 'Set or remove shop groups.', [
  setCommand(lists.shopGroups, {
    description: 'Add a shop group, or change which stores it has.',
    help: '\nExample:\n  admin group set West --company Acme --stores S-1 S-2',
  }),
  removeCommand(lists.shopGroups, 'Its stores remain.', (name) => ({ nameKey: nameKey(name) })),
]);

/** A time in s as `--after` has it. */
function afterText(seconds: number): string {
  if (seconds === 0) return 'immediately';
  if (seconds < 60) return `${seconds}s`;
  return seconds < 86_400 ? `${seconds / 60}m` : `${seconds / 86_400}d`;
}

const ruleCommands = group('rule', 'Choose which alerts a company gets, and after which time.', [
  setCommand(lists.alertRules, {
    description: 'Add a rule, or change it.',
    help: `
${helpRows(alertKinds.map((kind) => [kind, `${kindFacts[kind].when} (${afterText(kindFacts[kind].after)})`]))}

Example:
  admin alert rule set device-inactive --company Acme --after 10m`,
  }),
  removeCommand(lists.alertRules, 'The company then gets no alerts of its kind.'),
]);

const targetCommands = group('target', 'Choose where the alerts of a company are sent.', [
  setCommand(lists.alertTargets, {
    description: 'Add a target, or change it.',
    help: `
Messages to a URL are POSTed as JSON and signed as Standard Webhooks says; without --secret, a secret is
generated for a new URL, and printed only once. URL and secret are stored encrypted with SECRETS_KEY. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin alert target set ops --company Acme --url-file url.txt`,
  }),
  removeCommand(lists.alertTargets, 'Its messages are removed with it.'),
]);

export const alertCommands = group('alert', 'Manage alerts to companies: rules, targets, and sent alerts.', [
  listAlertsCommand,
  ruleCommands,
  targetCommands,
  testAlertCommand,
]);

export const reportCommands = group('report', 'Manage reports that companies get by mail.', [
  setCommand(lists.reports, {
    description: 'Add a report of visitors that is sent by mail, or change it.',
    help: `
It is sent two minutes after the last of its stores has closed. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin report set "Every morning" --company Acme --period daily --recipients ann@acme.example --language de`,
  }),
  listCommand('List reports, with the last mail.', (db, company) =>
    listReports(db, company && nameKey(company)),
  ),
  removeCommand(lists.reports, 'It is then not sent any more.', (name) => ({ name: cleanName(name) })),
]);
