import { listDevices } from '@visitor-counter/database/devices/list-devices';
import type { Command } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { companyOption, groupOption, inStoreOption, jsonOption } from '../command/options.ts';
import { withDatabase } from '../command/with-database.ts';
import { describeDevice } from './described-device.ts';
import { deviceTable } from './device-table.ts';

const help = `
Version, clock, disk, backlog and beams are those of the unit's last heartbeat; what it has not reported is unknown. The
backlog is how many crossings it had recorded that were not acknowledged yet.

--trouble lists the devices that were never seen, are offline, have a revoked secret, a clock that is not set, a disk
that is nearly full (below 200 MB or 5 %), a backlog of 100 or more, or a blocked beam. Retired devices are left out.`;

interface Options {
  readonly company?: string;
  readonly store?: string;
  readonly group?: string;
  readonly trouble?: boolean;
  readonly json?: true;
}

export function addDeviceList(device: Command, context: CommandContext): void {
  device
    .command('list')
    .description(
      'List devices with the state of their units: last seen, version, clock, disk, backlog, beams.',
    )
    .addOption(companyOption())
    .addOption(inStoreOption())
    .addOption(groupOption())
    .option('--trouble', 'only devices that need attention, and the reasons')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async ({ trouble = false, json, ...filter }: Options) => {
      const devices = await withDatabase(context.env, ({ kysely }) => listDevices(kysely, filter));
      const described = devices.map(describeDevice);
      const listed = trouble ? described.filter((one) => one.trouble.length > 0) : described;
      context.print(json ? JSON.stringify(listed) : deviceTable(listed, Date.now(), { trouble }));
    });
}
