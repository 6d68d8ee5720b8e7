import { alertKinds, type RuleKind } from '@visitor-counter/database/tables/alert-kind';
import { type Command, Option } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { appliedText } from '../topology/applied-text.ts';
import { applyEntry } from '../topology/apply-entry.ts';
import { companyOption, jsonOption } from './options.ts';

const help = `
  device-inactive   a device has sent nothing (15m)
  beam-blocked      a beam of a door is blocked (30s)
  capacity-reached  the occupancy of a store has reached its capacity
  data-overdue      crossings of a store are known to be missing (30m)
  limits-exceeded   a device sends more or older crossings than allowed; the excess is rejected (at once)
  crossings-missing delivered crossings are not in the database, e.g. after a restore (30m)
  crossings-lost    a device no longer has crossings that were never stored (at once)
  cloned-unit       two units use one identity, or an old image of a card was restored (at once)
  direction-doubtful  exits precede entries, as with swapped beams (at once)
  disk-low          the disk of a unit is nearly full: below 200 MB or 5 % of it, or below --threshold, such as 500MB or 10%
  version-old       a unit is older than the newest version that the company's units have had for --after (14d), or
                    older than --threshold, such as 1.4.0
  storage-failing   a unit's disk is full or cannot be written: a power cut may lose crossings (at once)
  service-away      no gateway could store anything (1m)

Example:
  admin alert rule --company Acme --kind device-inactive --after 10m`;

interface Options {
  readonly company: string;
  readonly kind: RuleKind;
  readonly after?: string;
  readonly threshold?: string;
  readonly on?: true;
  readonly off?: true;
  readonly json?: true;
}

export function addAlertRule(alert: Command, around: Surroundings): void {
  alert
    .command('rule')
    .description('Choose which alerts a company gets, and after which time.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(new Option('--kind <kind>', 'the kind of alert').choices(alertKinds).makeOptionMandatory())
    .option('--after <time>', 'how long the condition must last, such as 30s, 15m, 2h')
    .option('--threshold <limit>', 'disk-low, version-old: the limit, or default')
    .addOption(new Option('--off', 'switch the rule off').conflicts('on'))
    .option('--on', 'switch the rule on again')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async ({ company, kind, after, threshold, on, off, json }: Options) => {
      const rule = {
        kind,
        ...(after && { after }),
        ...(threshold && { threshold }),
        ...((on || off) && { enabled: on === true }),
      };
      const applied = await withDatabase(around.env, (db) => applyEntry(db, company, 'alertRules', rule));
      around.print(json ? JSON.stringify(applied) : appliedText(applied));
    });
}
