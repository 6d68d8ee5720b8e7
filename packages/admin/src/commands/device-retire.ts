import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { retireDevice } from '../devices/device-secret.ts';
import { jsonOption } from './options.ts';

const help = `
For a door that is closed, or a unit that will not come back. Its connection ends within 5 seconds, and its secret is
revoked; what it has delivered stays in every number, and its store no longer waits for it. Let the unit deliver
first. To use it again: \`retired: false\` in the topology file, then \`admin device rotate\`.`;

export function addDeviceRetire(device: Command, around: Surroundings): void {
  device
    .command('retire')
    .description('Take a device out of service and keep its history. Repeating it changes nothing.')
    .argument('<serial>', 'the serial number of the device')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (serial: string, { json }: { json?: true }) => {
      const retired = await withDatabase(around.env, (db) => retireDevice(db, serial));
      if (json) return around.print(JSON.stringify(retired));
      around.print(`${retired.changed ? 'retired' : 'was retired before:'} device ${retired.serial}`);
    });
}
