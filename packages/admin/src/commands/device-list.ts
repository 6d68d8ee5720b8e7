import { type ListedDevice, listDevices } from '@visitor-counter/database/operating/list-devices';
import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import { instantText } from '../terminal/instant-text.ts';
import { table } from '../terminal/table.ts';
import { withDatabase } from '../with-database.ts';
import { companyOption, jsonOption } from './options.ts';

export function addDeviceList(device: Command, around: Surroundings): void {
  device
    .command('list')
    .description(
      'List devices: which store they are in, when they were last heard of, whether they are online.',
    )
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(async ({ company, json }: { company?: string; json?: true }) => {
      const devices = await withDatabase(around.env, ({ kysely }) => listDevices(kysely, company));
      around.print(json ? JSON.stringify(devices) : deviceTable(devices));
    });
}

function deviceTable(devices: readonly ListedDevice[]): string {
  return table(
    ['SERIAL', 'NAME', 'COMPANY', 'STORE', 'LAST ACTIVITY', 'ONLINE', 'RETIRED', 'SECRET'],
    devices.map(
      ({ serial, name, company, store, storeName, lastActivityAt, online, retiredAt, secretRevokedAt }) => [
        ...[serial, name, company, store === null ? '-' : `${store} ${storeName}`],
        ...[instantText(lastActivityAt), online ? 'yes' : 'no', retiredAt ? 'yes' : 'no'],
        secretRevokedAt ? 'revoked' : 'valid',
      ],
    ),
  );
}
