import {
  readFleetOrders,
  readUnitOrders,
  setDeviceConfig,
} from '@visitor-counter/database/commands/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import type { CommandContext } from '../command/context.ts';
import { companyOption, groupOption, inStoreOption, jsonOption, yesOption } from '../command/options.ts';
import { withDatabase } from '../command/with-database.ts';
import { chooseDevices, confirmFor, type DeviceChoice } from './find-devices.ts';
import { fleetOrdersText, fleetSummary, unitOrdersText } from './orders-text.ts';

/** Adds the commands about remote settings, and about what units report on them and on commands. */
export function addDeviceOrders(device: Command, context: CommandContext): void {
  addDeviceConfigure(device, context);
  addDeviceOrderList(device, context);
}

const ordersHelp = `
A command is pending until the unit reports it, then running, and finally done or failed. The unit reports with its
heartbeats; while it sends crossings again, it reports every few seconds how many.

For several devices, or those of a store, a shop group or a company, it shows how many are in which state, by the newest
command of each kind of each device, and which are not done. open: the unit has not reported it yet.`;

interface OrdersOptions extends Omit<DeviceChoice, 'serials'> {
  readonly json?: true;
}

function addDeviceOrderList(device: Command, context: CommandContext): void {
  device
    .command('orders')
    .description('Show the remote settings and commands of one unit or several, with what they report.')
    .argument('[serial...]', 'serial numbers')
    .addOption(companyOption())
    .addOption(inStoreOption())
    .addOption(groupOption())
    .addOption(jsonOption())
    .addHelpText('after', ordersHelp)
    .action(async (serials: string[], { json, ...filter }: OrdersOptions) => {
      const text = await withDatabase(context.env, (db) => ordersText(db, { serials, ...filter }, json));
      context.print(text);
    });
}

/** The orders of one device in detail, or the numbers of several devices. */
async function ordersText(db: Database, choice: DeviceChoice, json?: true): Promise<string> {
  const devices = await chooseDevices(db, choice);
  const [one] = devices;
  if (one && choice.serials.length === 1) {
    const orders = await readUnitOrders(db.kysely, one.id);
    return json ? JSON.stringify({ serial: one.serial, ...orders }) : unitOrdersText(one.serial, orders);
  }
  const orders = await readFleetOrders(
    db.kysely,
    devices.map(({ id }) => id),
  );
  if (!json) return fleetOrdersText(devices, orders);
  const withSerial = <Order extends { deviceId: number }>({ deviceId, ...order }: Order) => ({
    serial: devices.find(({ id }) => id === deviceId)?.serial,
    ...order,
  });
  return JSON.stringify({
    ...{ devices: devices.length, summary: fleetSummary(orders) },
    settings: orders.settings.map(withSerial),
    commands: orders.commands.map(withSerial),
  });
}

const configureHelp = `
Without --set, prints the same as \`admin device orders\`. The settings replace all remote settings that the unit had,
and override its own file; {} removes them. A unit accepts detector, oneBeam, uplink and keep, with the keys of its
file. If it cannot use one of them, it refuses all, reports why with its next heartbeat, and keeps the settings that it
had. A unit that is not connected gets them when it connects.

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'
  admin device configure --group West --set '{keep: {days: 60}}' --yes`;

interface ConfigureOptions extends Omit<DeviceChoice, 'serials'> {
  readonly yes?: true;
  readonly set?: string;
  readonly json?: true;
}

/** Bytes; a unit does not accept larger messages. */
const largest = 16 * 1024;

function addDeviceConfigure(device: Command, context: CommandContext): void {
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
    .addHelpText('after', configureHelp)
    .action(async (serials: string[], { set, json, yes, ...filter }: ConfigureOptions) => {
      const settings = set === undefined ? undefined : parseSettings(set);
      const choice = { serials, ...filter };
      const text = await withDatabase(context.env, async (db) => {
        const devices = await chooseDevices(db, choice);
        if (settings) {
          await confirmFor(context, 'new settings', devices, { ...(yes && { yes }), ...(json && { json }) });
          await db.kysely.transaction().execute(async (trx) => {
            for (const { id } of devices) await setDeviceConfig(trx, id, settings);
          });
        }
        return ordersText(db, choice, json);
      });
      context.print(text);
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
