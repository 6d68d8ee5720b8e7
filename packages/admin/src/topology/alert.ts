import { alertKinds, kindFacts } from '@visitor-counter/database/alerts/alert-kinds';
import {
  type ListedAlert,
  operatorAlerts,
  sendTestAlert,
} from '@visitor-counter/database/alerts/list-alerts';
import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import { mailLanguages } from '@visitor-counter/domain/mail';
import { nameKey } from '@visitor-counter/domain/name-key';
import { helpRows } from '@visitor-counter/service/command-line';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { command, flag, group, required, secretOption, textOption } from '../command/command.ts';
import { inTransaction, OperatorError } from '../command/context.ts';
import { readKnown } from '../command/find.ts';
import { company, enabledBy, label, switches } from '../command/options.ts';
import { type Columns, instantText, inUtc, tableOf } from '../command/text.ts';
import { removeEntry, saveEntry } from './save-entry.ts';

const limit = 200;

const listCommand = command({
  name: 'list',
  description: `List alerts, open ones first, the ${limit} newest: kind, start, and targets.`,
  options: { company, open: flag('only open alerts') },
  run: async (context, { company, open }) => {
    const filter = { companyKey: company && nameKey(company), open };
    const listed = await readKnown(context, { company }, ({ kysely }) =>
      operatorAlerts(kysely, filter, limit),
    );
    return {
      json: listed.map((alert) => inUtc(alert, 'beganAt', 'raisedAt', 'clearedAt')),
      text: tableOf(listed, columns),
    };
  },
});

const columns: Columns<ListedAlert> = {
  COMPANY: ({ company }) => company,
  KIND: ({ kind }) => kind,
  ABOUT: ({ about }) => aboutText(about),
  SINCE: ({ beganAt }) => instantText(beganAt),
  OVER: ({ clearedAt }) => (clearedAt ? instantText(clearedAt) : 'no'),
  SENT: ({ sent }) => String(sent),
  WAITING: ({ waiting }) => String(waiting),
  PROBLEM: ({ problem }) => problem ?? '',
};

/** The device and the store of the alert, if it has them. */
function aboutText(about: unknown): string {
  const { serial, beam, store }: Record<string, unknown> = Object(about);
  return [serial, beam, store].filter((part) => part !== undefined).join(' ');
}

/** A time in s as `--after` has it. */
function afterText(seconds: number): string {
  if (seconds === 0) return 'immediately';
  if (seconds < 60) return `${seconds}s`;
  return seconds < 86_400 ? `${seconds / 60}m` : `${seconds / 86_400}d`;
}

const ruleCommand = command({
  name: 'rule',
  description: 'Choose the alerts of a company, and after which time they are sent.',
  options: {
    company: required(company),
    kind: required({ value: '<kind>', description: 'the kind of alert', choices: alertKinds }),
    after: textOption('<time>', 'how long the condition must last, such as 30s, 15m, 2h'),
    threshold: textOption('<limit>', 'disk-low, version-old: the limit, or default'),
    ...switches('rule'),
  },
  help: `
${helpRows(alertKinds.map((kind) => [kind, `${kindFacts[kind].when} (${afterText(kindFacts[kind].after)})`]))}

Example:
  admin alert rule --company Acme --kind device-inactive --after 10m`,
  run: async (context, { company, on, off, json: _, ...rule }) => {
    const entry = { ...rule, enabled: enabledBy(on, off) };
    return await saveEntry(context, company, 'alertRules', entry);
  },
});

const target = { ...label, description: 'the label of the target, unique for its company' };

const targetCommand = command({
  name: 'target',
  description: 'Choose where the alerts of a company are sent.',
  options: {
    company: required(company),
    label: required(target),
    url: secretOption('<url>', 'a webhook'),
    mail: { value: '<address>', description: 'an e-mail address', conflicts: 'url' },
    secret: secretOption('<secret>', 'signs the messages to the webhook: whsec_…'),
    language: { value: '<code>', description: 'of the messages (default: en)', choices: mailLanguages },
    ...switches('target'),
  },
  help: `
Messages to a URL are POSTed as JSON and signed as Standard Webhooks says; without --secret, a secret is
generated for a new URL, and printed only once. URL and secret are stored encrypted with SECRETS_KEY. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin alert target --company Acme --label ops --url-file url.txt`,
  run: async (context, { company, on, off, json: _, ...target }) => {
    const entry = { ...target, enabled: enabledBy(on, off) };
    return await saveEntry(context, company, 'alertTargets', entry);
  },
});

const testCommand = command({
  name: 'test',
  description: 'Send a test message to a target; `alert list` shows the result.',
  options: { company: required(company), label: required(target) },
  run: async (context, { company, label }) => {
    const found = await inTransaction(context, async (trx, author) => {
      const owner = await sendTestAlert(trx, nameKey(company), label);
      const subject = { kind: 'alert target', key: label } as const;
      if (owner) await recordAudit(trx, author, { action: 'test sent', company: owner, subject });
      return owner !== undefined;
    });
    if (!found) throw new OperatorError(`${company} has no alert target ${JSON.stringify(label)}`);
    const text = `a test to ${label} of ${company} is queued; the role alerts sends it`;
    return { json: { company, label }, text };
  },
});

const removeCommand = command({
  name: 'remove',
  description: 'Remove a rule or a target, with the messages that were sent to it.',
  options: {
    company: required(company),
    kind: {
      value: '<kind>',
      description: 'the rule of this kind of alert',
      choices: alertKinds,
      conflicts: 'label',
    },
    label: { ...target, description: 'the target of this label' },
  },
  run: async (context, { company, kind, label }) => {
    if (kind !== undefined)
      return await removeEntry(context, { company, what: `alert rule ${kind}` }, 'alertRule', ({ id }) => {
        return { companyId: id, kind };
      });
    if (label === undefined) throw new ConfigurationError('--label', undefined, 'it, or --kind');
    const what = `alert target ${JSON.stringify(label)}`;
    return await removeEntry(context, { company, what }, 'alertTarget', ({ id }) => ({
      companyId: id,
      label,
    }));
  },
});

export const alertCommands = group('alert', 'Manage alerts to companies: rules, targets, and sent alerts.', [
  listCommand,
  ruleCommand,
  targetCommand,
  testCommand,
  removeCommand,
]);
