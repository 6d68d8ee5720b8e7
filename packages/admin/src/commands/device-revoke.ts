import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { revokeSecret } from '../devices/device-secret.ts';
import { jsonOption } from './options.ts';

const help = `
For a unit that was stolen or is suspect. Its connection ends within 5 seconds, on every gateway; what it has
delivered stays. \`admin device rotate\` gives it another secret.`;

export function addDeviceRevoke(device: Command, around: Surroundings): void {
  device
    .command('revoke')
    .description('Revoke the secret of a device: it cannot log in any more. Repeating it changes nothing.')
    .argument('<serial>', 'the serial number of the device')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (serial: string, { json }: { json?: true }) => {
      const revoked = await withDatabase(around.env, (db) => revokeSecret(db, serial));
      if (json) return around.print(JSON.stringify(revoked));
      const did = revoked.changed ? 'revoked' : 'was revoked before:';
      around.print(`${did} the secret of device ${revoked.serial}`);
    });
}
