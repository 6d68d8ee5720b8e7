import { setDeviceConfig } from '@visitor-counter/database/commands/unit-commands';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { chooseDevices, confirmFor, type DeviceChoice } from '../devices/choose-devices.ts';
import { ordersText } from './device-orders.ts';
import { companyOption, groupOption, inStoreOption, jsonOption, yesOption } from './options.ts';

const help = `
Without --set, prints the same as \`admin device orders\`. The settings replace all remote settings that the unit had,
and override its own file; {} removes them. A unit accepts detector, oneBeam, uplink and keep, with the keys of its
file. If it cannot use one of them, it refuses all, reports why with its next heartbeat, and keeps the settings that it
had. A unit that is not connected gets them when it connects.

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'
  admin device configure --group West --set '{keep: {days: 60}}' --yes`;

interface Options extends Omit<DeviceChoice, 'serials'> {
  readonly yes?: true;
  readonly set?: string;
  readonly json?: true;
}

/** Bytes; a unit does not accept larger messages. */
const largest = 16 * 1024;

export function addDeviceConfigure(device: Command, around: Surroundings): void {
  device
    .command('configure')
    .description('Change the settings of one unit or several remotely, and see whether they use them.')
    .argument('[serial...]', 'serial numbers')
    .addOption(companyOption())
    .addOption(inStoreOption())
    .addOption(groupOption())
    .addOption(yesOption())
    .option('--set <settings>', 'all remote settings, as YAML or JSON')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (serials: string[], { set, json, yes, ...filter }: Options) => {
      const settings = set === undefined ? undefined : parseSettings(set);
      const choice = { serials, ...filter };
      const text = await withDatabase(around.env, async (db) => {
        const devices = await chooseDevices(db, choice);
        if (settings) {
          await confirmFor(around, 'new settings', devices, { ...(yes && { yes }), ...(json && { json }) });
          await db.kysely.transaction().execute(async (trx) => {
            for (const { id } of devices) await setDeviceConfig(trx, id, settings);
          });
        }
        return ordersText(db, choice, json);
      });
      around.print(text);
    });
}

function parseSettings(text: string): object {
  const settings = parsedYaml(text);
  const isMap = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
  if (isMap && Buffer.byteLength(JSON.stringify(settings)) <= largest) return settings;
  throw new ConfigurationError('--set', text.slice(0, 100), `keys and values, at most ${largest} bytes`);
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new ConfigurationError('--set', error.message.split('\n')[0], 'YAML or JSON');
  }
}
