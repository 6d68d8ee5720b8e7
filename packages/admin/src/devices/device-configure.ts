import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import { setDeviceConfig } from '@visitor-counter/database/devices/unit-commands';
import { isPrintable } from '@visitor-counter/domain/name-key';
import { isMapping } from '@visitor-counter/domain/read-value';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { parse } from 'yaml';
import { command, textOption } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { deviceFilter, yes } from '../command/options.ts';
import { ordersOf, serialsArgument } from './device-orders.ts';
import { chooseDevices, confirmFor } from './order.ts';

/** Bytes; the largest packet to a unit has 64 KiB. */
const largest = 16 * 1024;

export const configureCommand = command({
  name: 'configure',
  description: 'Change the settings of one unit or several remotely, and see whether they use them.',
  argument: serialsArgument,
  options: {
    ...deviceFilter,
    yes,
    set: textOption('<settings>', 'all remote settings, as YAML or JSON'),
  },
  help: `
Without --set, prints the same as \`admin device orders\`. The settings replace all remote settings that the unit had,
and override its own file; {} removes them. A unit accepts detector, oneBeam, uplink and keep, with the keys of its
file. If it cannot use one of them, it refuses all, reports why with its next heartbeat, and keeps the settings that it
had. A unit that is not connected receives them when it connects.

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'
  admin device configure --group West --set '{keep: {days: 60}}' --yes`,
  run: (context, { set, json, yes, company, store, group }, serials) => {
    const settings = set === undefined ? undefined : parseSettings(set);
    return withChanges(context, async (db, author) => {
      const choice = { serials, company, store, group };
      if (settings) {
        const devices = await chooseDevices(db, choice);
        await confirmFor(context, 'new settings', devices, { yes, json });
        await db.kysely.transaction().execute(async (trx) => {
          for (const { id, serial, company } of devices) {
            const revision = await setDeviceConfig(trx, id, settings);
            await recordAudit(trx, author, {
              action: 'settings ordered',
              company,
              subject: { kind: 'device', key: serial },
              details: { revision, settings: withoutText(settings) },
            });
          }
        });
      }
      return ordersOf(db, choice);
    });
  },
});

/** Settings that a unit accepts; others may contain anything. */
const remoteSettings: ReadonlySet<string> = new Set(['detector', 'oneBeam', 'uplink', 'keep']);

/** Words that are values of remote settings. */
const settingWords: ReadonlySet<unknown> = new Set(['in', 'out']);

/** The settings for the audit log, without anything in which an operator may have written a secret. */
function withoutText(settings: object): unknown {
  const shown = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null)
      return typeof value === 'string' && !settingWords.has(value) ? '…' : value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        /pass|secret|token|key/i.test(key) ? '…' : shown(part),
      ]),
    );
  };
  return Object.fromEntries(
    Object.entries(settings).map(([key, part]) => [key, remoteSettings.has(key) ? shown(part) : '…']),
  );
}

function parseSettings(text: string): object {
  const refused = (expected: string) => new ConfigurationError('--set', text.slice(0, 100), expected);
  let isText = true;
  try {
    const settings: unknown = parse(text);
    const json = JSON.stringify(settings, (key, value) => {
      isText &&= isPrintable(key) && (typeof value !== 'string' || isPrintable(value));
      return value;
    });
    if (isText && isMapping(settings) && Buffer.byteLength(json) <= largest) return settings;
  } catch (error) {
    /* Such as an alias that is undefined or refers to itself. */
    const [reason = ''] = reasonOf(error).split('\n');
    throw refused(`YAML or JSON (${reason.replace(/:$/, '')})`);
  }
  throw refused(`keys and values without control characters, at most ${largest} bytes`);
}
