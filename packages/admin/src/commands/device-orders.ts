import { readFleetOrders } from '@visitor-counter/database/commands/read-fleet-commands';
import { readUnitOrders } from '@visitor-counter/database/commands/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { chooseDevices, type DeviceChoice } from '../devices/choose-devices.ts';
import { fleetOrdersText, fleetSummary } from '../devices/fleet-orders-text.ts';
import { unitOrdersText } from '../devices/unit-orders-text.ts';
import { companyOption, groupOption, inStoreOption, jsonOption } from './options.ts';

const help = `
A command is pending until the unit reports it, then running, and finally done or failed. The unit reports with its
heartbeats; while it sends crossings again, it reports every few seconds how many.

For several devices, or those of a store, a shop group or a company, it shows how many are in which state, by the newest
command of each kind of each device, and which are not done. open: the unit has not reported it yet.`;

interface Options extends Omit<DeviceChoice, 'serials'> {
  readonly json?: true;
}

export function addDeviceOrders(device: Command, around: Surroundings): void {
  device
    .command('orders')
    .description('Show the remote settings and commands of one unit or several, with what they report.')
    .argument('[serial...]', 'serial numbers')
    .addOption(companyOption())
    .addOption(inStoreOption())
    .addOption(groupOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (serials: string[], { json, ...filter }: Options) => {
      const text = await withDatabase(around.env, (db) => ordersText(db, { serials, ...filter }, json));
      around.print(text);
    });
}

/** The orders of one device in full, or of several in numbers. */
export async function ordersText(db: Database, choice: DeviceChoice, json?: true): Promise<string> {
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
