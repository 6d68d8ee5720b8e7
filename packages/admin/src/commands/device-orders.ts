import { readUnitOrders } from '@visitor-counter/database/operating/unit-orders';
import type { Command } from 'commander';
import { findDevice } from '../find-device.ts';
import type { Surroundings } from '../surroundings.ts';
import { unitOrdersText } from '../terminal/unit-orders-text.ts';
import { withDatabase } from '../with-database.ts';
import { jsonOption } from './options.ts';

const help = `
A command is pending until the unit reports it, then running, and finally done or failed. The unit reports with its
heartbeats; while it sends crossings again, it reports every few seconds how many.`;

export function addDeviceOrders(device: Command, around: Surroundings): void {
  device
    .command('orders')
    .description('Show the remote settings of a unit and its latest commands, with what the unit reports.')
    .argument('<serial>', 'the serial number of the device')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (given: string, { json }: { readonly json?: true }) => {
      const { serial, orders } = await withDatabase(around.env, async (db) => {
        const { id, serial } = await findDevice(db, given);
        return { serial, orders: await readUnitOrders(db.kysely, id) };
      });
      around.print(json ? JSON.stringify({ serial, ...orders }) : unitOrdersText(serial, orders));
    });
}
