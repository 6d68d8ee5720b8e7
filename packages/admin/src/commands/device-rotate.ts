import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { rotateSecret } from '../devices/device-secret.ts';
import { checkSecret, jsonOption } from './options.ts';

interface Options {
  readonly secret?: string;
  readonly json?: true;
}

const help = `
The secret is printed only once and not stored. A connection with the old one ends within 5 seconds, on every
gateway; the unit delivers its pending crossings as soon as it has the new one.`;

export function addDeviceRotate(device: Command, around: Surroundings): void {
  device
    .command('rotate')
    .description('Give a device another secret, also after the old one was revoked.')
    .argument('<serial>', 'the serial number of the device')
    .option('--secret <secret>', 'the new secret, at least 16 characters; generated when left out')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (serial: string, { secret, json }: Options) => {
      checkSecret('--secret', secret);
      const rotated = await withDatabase(around.env, (db) => rotateSecret(db, serial, secret));
      if (json) return around.print(JSON.stringify(rotated));
      around.print(`device ${rotated.serial} has a new secret\n\nShown only this once:\n  ${rotated.secret}`);
    });
}
