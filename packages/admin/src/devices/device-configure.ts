import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import { setDeviceConfig } from '@visitor-counter/database/devices/unit-commands';
import { isMapping } from '@visitor-counter/domain/read-value';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { parse } from 'yaml';
import { type ArgumentSpec, command, required, textOption } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { deviceFilter, yes } from '../command/options.ts';
import { tableOf } from '../command/text.ts';
import { chooseDevices, confirmFor } from './order.ts';

/** Bytes; the largest packet to a unit has 64 KiB. */
const largest = 16 * 1024;

const serials: ArgumentSpec<readonly string[]> = { name: '[serial...]', description: 'serial numbers' };

export const configureCommand = command({
  name: 'configure',
  description: 'Change the settings of one unit or several remotely.',
  argument: serials,
  options: {
    ...deviceFilter,
    yes,
    set: required(textOption('<settings>', 'all remote settings, as YAML or JSON')),
  },
  help: `
The settings replace all remote settings that the unit had, and override its own file; {} removes them. A unit accepts
detector, oneBeam, uplink and keep, with the keys of its file. If it cannot use one of them, it refuses all, reports why
with its next heartbeat, and keeps the settings that it had. A unit that is not connected receives them when it connects.
\`admin device orders\` shows whether it uses them.

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'
  admin device configure --group West --set '{keep: {days: 60}}' --yes`,
  run: (context, { set, json, yes, company, store, group }, serials) => {
    const settings = parseSettings(set);
    return withChanges(context, async (db, author) => {
      const devices = await chooseDevices(db, { serials, company, store, group });
      await confirmFor(context, 'new settings', devices, { yes, json });
      const ordered: { serial: string; revision: number }[] = [];
      await db.kysely.transaction().execute(async (trx) => {
        for (const { id, serial, company } of devices) {
          const revision = await setDeviceConfig(trx, id, settings);
          ordered.push({ serial, revision });
          await recordAudit(trx, author, {
            action: 'settings ordered',
            company,
            subject: { kind: 'device', key: serial },
            details: { revision, settings: withoutSecrets(settings) },
          });
        }
      });
      return { json: ordered, text: tableOf(ordered) };
    });
  },
});

/** The settings for the audit log, without anything in which an operator may have written a secret. */
function withoutSecrets(settings: object): unknown {
  const shown = (key: string, value: unknown) =>
    typeof value === 'string' || /pass|secret|token|key/i.test(key) ? '…' : value;
  return JSON.parse(JSON.stringify(settings, shown));
}

/** What a unit accepts. */
const remote = ['detector', 'oneBeam', 'uplink', 'keep'];

function parseSettings(text: string): object {
  const settings = yamlIn(text);
  const json = JSON.stringify(settings);
  const isKnown = isMapping(settings) && Object.keys(settings).every((key) => remote.includes(key));
  /* PostgreSQL stores no NUL. */
  if (isKnown && json.length <= largest && !json.includes('\\u0000')) return settings;
  const expected = `no keys but ${remote.join(', ')}, values without control characters, and at most ${largest} bytes`;
  throw new ConfigurationError('--set', text.slice(0, 100), expected);
}

function yamlIn(text: string): unknown {
  try {
    const value: unknown = parse(text);
    JSON.stringify(value);
    return value;
  } catch (error) {
    /* Such as an alias that is undefined or refers to itself. */
    const [reason = ''] = reasonOf(error).split('\n');
    throw new ConfigurationError('--set', text.slice(0, 100), `YAML or JSON (${reason.replace(/:$/, '')})`);
  }
}
