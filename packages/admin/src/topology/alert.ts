import { type ListedAlert, listAlerts, sendTestAlert } from '@visitor-counter/database/alerts/alerts';
import { storedBeamLabel } from '@visitor-counter/database/alerts/beam-label';
import { alertKinds, type RuleKind } from '@visitor-counter/database/tables/alerts';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { companyOption, jsonOption, labelOption } from '../command/options.ts';
import { instantText, plain, table } from '../command/text.ts';
import { appliedText, applyEntry } from './apply-topology.ts';

/** Adds the commands about alerts. */
export function addAlertCommands(program: Command, context: CommandContext): void {
  const alert = program
    .command('alert')
    .description('Manage alerts to companies: rules, targets, and sent alerts.');
  addAlertList(alert, context);
  addAlertRule(alert, context);
  addAlertTarget(alert, context);
  addAlertTest(alert, context);
}

const limit = 200;

function addAlertList(alert: Command, context: CommandContext): void {
  alert
    .command('list')
    .description(`List alerts, open ones first, the ${limit} newest: kind, start, and targets.`)
    .addOption(companyOption())
    .option('--open', 'only open alerts')
    .addOption(jsonOption())
    .action(async ({ company, open, json }: { company?: string; open?: true; json?: true }) => {
      const filter = { ...(company && { companyKey: nameKey(company) }), ...(open && { open }) };
      const listed = await withDatabase(context.env, ({ kysely }) => listAlerts(kysely, filter, limit));
      context.print(json ? JSON.stringify(listed) : alertTable(listed));
    });
}

function alertTable(listed: readonly ListedAlert[]): string {
  return table(
    ['COMPANY', 'KIND', 'ABOUT', 'SINCE', 'OVER', 'SENT', 'WAITING', 'PROBLEM'],
    listed.map((one) => [
      ...[one.company, one.kind, aboutText(one.about), instantText(one.beganAt)],
      ...[one.clearedAt ? instantText(one.clearedAt) : 'no', String(one.sent), String(one.waiting)],
      plain(one.problem ?? ''),
    ]),
  );
}

/** The device and the store of the alert, if it has them. */
function aboutText(about: unknown): string {
  if (typeof about !== 'object' || about === null) return '';
  const { serial, beam, store }: Record<string, unknown> = { ...about };
  const shown = beam === undefined ? undefined : storedBeamLabel(beam);
  return plain([serial, shown, store].filter((part) => part !== undefined).join(' '));
}

const ruleHelp = `
  device-inactive   a device has sent nothing (15m)
  beam-blocked      a beam of a door is blocked (30s)
  capacity-reached  the occupancy of a store has reached its capacity
  data-overdue      crossings of a store are known to be missing (30m)
  limits-exceeded   a device sends more or older crossings than allowed; the excess is rejected (immediately)
  crossings-missing delivered crossings are not in the database, e.g. after a restore (30m)
  crossings-lost    a device no longer has crossings that were never stored (immediately)
  cloned-unit       two units use one identity, or an old image of a card was restored (immediately)
  direction-doubtful  exits precede entries, as with swapped beams (immediately)
  disk-low          the disk of a unit is nearly full: below 200 MB or 5 % of it, or below --threshold, such as 500MB or 10%
  version-old       a unit is older than the newest version that the company's units have had for --after (14d), or
                    older than --threshold, such as 1.4.0
  storage-failing   a unit's disk is full or cannot be written: a power cut may lose crossings (immediately)
  service-away      no gateway could store anything (1m)

Example:
  admin alert rule --company Acme --kind device-inactive --after 10m`;

interface RuleOptions {
  readonly company: string;
  readonly kind: RuleKind;
  readonly after?: string;
  readonly threshold?: string;
  readonly on?: true;
  readonly off?: true;
  readonly json?: true;
}

function addAlertRule(alert: Command, context: CommandContext): void {
  alert
    .command('rule')
    .description('Choose the alerts of a company, and after which time they are sent.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(new Option('--kind <kind>', 'the kind of alert').choices(alertKinds).makeOptionMandatory())
    .option('--after <time>', 'how long the condition must last, such as 30s, 15m, 2h')
    .option('--threshold <limit>', 'disk-low, version-old: the limit, or default')
    .addOption(new Option('--off', 'switch the rule off').conflicts('on'))
    .option('--on', 'switch the rule on again')
    .addOption(jsonOption())
    .addHelpText('after', ruleHelp)
    .action(async ({ company, kind, after, threshold, on, off, json }: RuleOptions) => {
      const rule = {
        kind,
        ...(after && { after }),
        ...(threshold && { threshold }),
        ...((on || off) && { enabled: on === true }),
      };
      const applied = await withDatabase(context.env, (db) => applyEntry(db, company, 'alertRules', rule));
      context.print(json ? JSON.stringify(applied) : appliedText(applied));
    });
}

const targetHelp = `
Messages to a URL are POSTed as JSON and signed as Standard Webhooks says; without --secret, a secret is
generated for a new URL, and printed only once. Mail needs SMTP_URL and MAIL_FROM where \`alerts\` runs.

Example:
  admin alert target --company Acme --label ops --url https://hooks.example/counter`;

interface TargetOptions {
  readonly company: string;
  readonly label: string;
  readonly url?: string;
  readonly mail?: string;
  readonly secret?: string;
  readonly on?: true;
  readonly off?: true;
  readonly json?: true;
}

function addAlertTarget(alert: Command, context: CommandContext): void {
  alert
    .command('target')
    .description('Choose where the alerts of a company are sent.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .option('--url <url>', 'a webhook')
    .addOption(new Option('--mail <address>', 'an e-mail address').conflicts('url'))
    .option('--secret <secret>', 'signs the messages to the webhook: whsec_…')
    .addOption(new Option('--off', 'switch the target off').conflicts('on'))
    .option('--on', 'switch the target on again')
    .addOption(jsonOption())
    .addHelpText('after', targetHelp)
    .action(async ({ company, json, on, off, ...given }: TargetOptions) => {
      const target = { ...given, ...((on || off) && { enabled: on === true }) };
      const applied = await withDatabase(context.env, (db) =>
        applyEntry(db, company, 'alertTargets', target),
      );
      context.print(json ? JSON.stringify(applied) : appliedText(applied));
    });
}

function addAlertTest(alert: Command, context: CommandContext): void {
  alert
    .command('test')
    .description('Send a test message to a target; `alert list` shows the result.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .action(async ({ company, label }: { company: string; label: string }) => {
      const found = await withDatabase(context.env, ({ kysely }) =>
        sendTestAlert(kysely, nameKey(company), label),
      );
      if (!found)
        throw new OperatorError('unknown-target', `${company} has no alert target ${JSON.stringify(label)}`);
      context.print(`a test to ${label} of ${company} is queued; \`npx pnpm alerts\` sends it`);
    });
}
