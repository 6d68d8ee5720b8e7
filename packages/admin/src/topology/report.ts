import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import { listReports, removeReport, reportPeriods } from '@visitor-counter/database/reports/mail-reports';
import { loadTopology } from '@visitor-counter/database/topology/topology';
import { mailLanguages } from '@visitor-counter/domain/mail';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type ArgumentSpec, command, flag, group, type OptionSpec, required } from '../command/command.ts';
import { OperatorError, unknownCompany, withChanges, withDatabase } from '../command/context.ts';
import { company, parseLabel, valueParser } from '../command/options.ts';
import { requireKnown } from '../command/require-known.ts';
import { instantText, plain, table } from '../command/text.ts';
import { mailAddress, name } from '../file/values.ts';
import { appliedText, applyEntry } from './apply-topology.ts';

const report: ArgumentSpec<string> = {
  name: '<name>',
  description: 'the report, by its name',
  parse: valueParser(name),
};

const parseMail = valueParser(mailAddress);
const mail: OptionSpec<readonly string[]> = {
  value: '<address>',
  description: 'who gets it; may be given several times',
  parse: (text, before = []) => [...before, parseMail(text)],
};
const store: OptionSpec<readonly string[]> = {
  value: '<sid>',
  description: 'limit it to this store, by its sid; may be given several times',
  parse: (sid, before = []) => [...before, parseLabel(sid)],
};

const setCommand = command({
  name: 'set',
  description: 'Add a report of visitors that is sent by mail, or change it.',
  argument: report,
  options: {
    company: required(company),
    period: { value: '<period>', description: 'how often', choices: reportPeriods },
    mail,
    language: { value: '<code>', description: 'of the mail (default: en)', choices: mailLanguages },
    group: {
      value: '<name>',
      description: 'the stores of this shop group',
      parse: valueParser(name),
      conflicts: 'store',
    },
    store,
    allStores: { ...flag('all stores of the company (default)'), conflicts: 'store' },
    off: flag('switch the report off', 'on'),
    on: flag('switch the report on again'),
  },
  help: `
It is sent two minutes after the last of its stores has closed. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin report set "Every morning" --company Acme --period daily --mail ann@acme.example --language de`,
  run: async (context, { company, period, mail, language, group, store, allStores, on, off }, name) => {
    const enabled = on || off ? on === true : undefined;
    const scope = {
      ...(group !== undefined && { group }),
      ...(store && { stores: store }),
      ...(allStores && { stores: null }),
    };
    const entry = { name, period, recipients: mail, language, enabled, ...scope };
    const changed = await withChanges(context, (db, author) =>
      applyEntry(db, author, { company, list: 'reports', entry }),
    );
    return { json: changed, text: appliedText(changed) };
  },
});

const listCommand = command({
  name: 'list',
  description: 'List reports: company, name, period, stores, language, recipients, last mail.',
  options: { company },
  run: async (context, { company }) => {
    const listed = await withDatabase(context, async ({ kysely }) => {
      await requireKnown(kysely, { company });
      return await listReports(kysely, company && nameKey(company));
    });
    const text = table(
      ['COMPANY', 'NAME', 'PERIOD', 'STORES', 'LANGUAGE', 'MAIL', 'SENT', 'PROBLEM'],
      listed.map((one) => [
        one.company,
        one.name,
        one.enabled ? one.period : 'off',
        one.group ?? one.stores?.join(' ') ?? 'all',
        one.language,
        one.recipients.join(' '),
        one.lastSentAt ? instantText(one.lastSentAt) : 'never',
        plain(one.problem ?? ''),
      ]),
    );
    return { json: listed, text };
  },
});

const removeCommand = command({
  name: 'remove',
  description: 'Remove a report.',
  argument: report,
  options: { company: required(company) },
  run: async (context, { company }, name) => {
    const removed = await withChanges(context, ({ kysely }, author) =>
      kysely.transaction().execute(async (trx) => {
        const key = nameKey(company);
        const known = (await loadTopology(trx, { companies: [key], devices: [] })).companies.get(key);
        if (known === undefined) throw unknownCompany(company);
        if (!(await removeReport(trx, known.id, name.trim()))) return false;
        const subject = { kind: 'mail report', key: name.trim() } as const;
        await recordAudit(trx, author, { action: 'removed', company: known.name, subject });
        return true;
      }),
    );
    if (!removed) throw new OperatorError(`${company} has no report ${JSON.stringify(name)}`);
    return { json: { company, name }, text: `removed report ${name} of ${company}` };
  },
});

export const reportCommands = group('report', 'Manage reports that companies get by mail.', [
  setCommand,
  listCommand,
  removeCommand,
]);
