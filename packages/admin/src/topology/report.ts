import { mailAddress } from '@visitor-counter/database/configuration/values';
import { listReports, reportPeriods } from '@visitor-counter/database/reports/mail-reports';
import { mailLanguages } from '@visitor-counter/domain/mail';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import {
  type ArgumentSpec,
  command,
  flag,
  group,
  type OptionSpec,
  repeatable,
  required,
} from '../command/command.ts';
import { listCommand } from '../command/find.ts';
import { company, enabledBy, kindOf, limitedTo, nameKind, switches } from '../command/options.ts';
import { instantText } from '../command/text.ts';
import { removeEntry, saveEntry } from './save-entry.ts';

const report: ArgumentSpec<string> = {
  name: '<name>',
  description: 'the report, by its name',
  kind: nameKind,
};

const mail: OptionSpec<string> = {
  value: '<address>',
  description: 'a recipient; may be given several times',
  kind: kindOf(mailAddress),
};

const setCommand = command({
  name: 'set',
  description: 'Add a report of visitors that is sent by mail, or change it.',
  argument: report,
  options: {
    company: required(company),
    period: { value: '<period>', description: 'how often', choices: reportPeriods },
    mail: repeatable(mail),
    language: { value: '<code>', description: 'of the mail (default: en)', choices: mailLanguages },
    group: {
      value: '<name>',
      description: 'the stores of this shop group',
      kind: nameKind,
      conflicts: 'store',
    },
    store: repeatable(limitedTo),
    allStores: { ...flag('all stores of the company (default)'), conflicts: 'store' },
    ...switches('report'),
  },
  help: `
It is sent two minutes after the last of its stores has closed. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin report set "Every morning" --company Acme --period daily --mail ann@acme.example --language de`,
  run: async (context, { company, period, mail, language, group, store, allStores, on, off }, name) => {
    const scope = {
      ...(group !== undefined && { group }),
      ...(store && { stores: store }),
      ...(allStores && { stores: null }),
    };
    const entry = { name, period, recipients: mail, language, enabled: enabledBy(on, off), ...scope };
    return await saveEntry(context, company, 'reports', entry);
  },
});

const list = listCommand(
  'List reports: company, name, period, stores, language, recipients, last mail.',
  (db, company) => listReports(db, company && nameKey(company)),
  {
    COMPANY: ({ company }) => company,
    NAME: ({ name }) => name,
    PERIOD: ({ enabled, period }) => (enabled ? period : 'off'),
    STORES: ({ group, stores }) => group ?? stores?.join(' ') ?? 'all',
    LANGUAGE: ({ language }) => language,
    MAIL: ({ recipients }) => recipients.join(' '),
    SENT: ({ lastSentAt }) => instantText(lastSentAt),
    PROBLEM: ({ problem }) => problem ?? '',
  },
  ['lastSentAt'],
);

const removeCommand = command({
  name: 'remove',
  description: 'Remove a report.',
  argument: report,
  options: { company: required(company) },
  run: (context, { company }, name) => {
    const what = `report ${JSON.stringify(cleanName(name))}`;
    return removeEntry(context, { company, what }, 'mailReport', ({ id }) => {
      return { companyId: id, name: cleanName(name) };
    });
  },
});

export const reportCommands = group('report', 'Manage reports that companies get by mail.', [
  setCommand,
  list,
  removeCommand,
]);
