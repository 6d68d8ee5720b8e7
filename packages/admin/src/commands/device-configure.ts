import { readUnitOrders, setDeviceConfig } from '@visitor-counter/database/operating/unit-orders';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { findDevice } from '../find-device.ts';
import type { Surroundings } from '../surroundings.ts';
import { unitOrdersText } from '../terminal/unit-orders-text.ts';
import { withDatabase } from '../with-database.ts';
import { jsonOption } from './options.ts';

const help = `
Without --set, prints the same as \`admin device orders\`. The settings replace all remote settings that the unit had,
and override its own file; {} removes them. A unit accepts detector, oneBeam, uplink and keep, with the keys of its
file. If it cannot use one of them, it refuses all, reports why with its next heartbeat, and keeps the settings that it
had. A unit that is not connected gets them when it connects.

Example:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'`;

interface Options {
  readonly set?: string;
  readonly json?: true;
}

/** Bytes; a unit does not accept larger messages. */
const largest = 16 * 1024;

export function addDeviceConfigure(device: Command, around: Surroundings): void {
  device
    .command('configure')
    .description('Change the settings of a unit remotely, and see whether it uses them.')
    .argument('<serial>', 'the serial number of the device')
    .option('--set <settings>', 'all remote settings, as YAML or JSON')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (given: string, { set, json }: Options) => {
      const settings = set === undefined ? undefined : parseSettings(set);
      const { serial, orders } = await withDatabase(around.env, async (db) => {
        const { id, serial } = await findDevice(db, given);
        if (settings) await setDeviceConfig(db.kysely, id, settings);
        return { serial, orders: await readUnitOrders(db.kysely, id) };
      });
      around.print(json ? JSON.stringify({ serial, ...orders }) : unitOrdersText(serial, orders));
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
