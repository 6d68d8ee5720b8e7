import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { revokeDeviceSecret, updateDevice } from '@visitor-counter/database/devices/write-device';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Schema } from '@visitor-counter/database/tables/schema';
import { loadTopology, lockTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Command } from 'commander';
import type { Transaction } from 'kysely';
import { type CommandContext, unknownDevice, withDatabase } from '../command/context.ts';
import { checkSecret, jsonOption } from '../command/options.ts';

/** Adds the commands that decide whether a device may connect, and with which secret. */
export function addDeviceAccess(device: Command, context: CommandContext): void {
  addDeviceRevoke(device, context);
  addDeviceRetire(device, context);
  addDeviceRotate(device, context);
}

const revokeHelp = `
For a unit that was stolen or is suspect. Its connection ends within 5 seconds, on every gateway; what it has
delivered still counts. \`admin device rotate\` replaces the secret.`;

function addDeviceRevoke(device: Command, context: CommandContext): void {
  device
    .command('revoke')
    .description('Revoke the secret of a device: it cannot log in. Repeating it changes nothing.')
    .argument('<serial>', 'the serial number of the device')
    .addOption(jsonOption())
    .addHelpText('after', revokeHelp)
    .action(async (serial: string, { json }: { json?: true }) => {
      const revoked = await withDatabase(context.env, (db) => revokeSecret(db, serial));
      if (json) return context.print(JSON.stringify(revoked));
      const did = revoked.changed ? 'revoked' : 'was revoked before:';
      context.print(`${did} the secret of device ${revoked.serial}`);
    });
}

const retireHelp = `
For a door that is closed, or a unit that is lost. Its connection ends within 5 seconds, and its secret is revoked;
its crossings still count, and its store is complete without it. Wait until the unit has delivered its crossings
first. To use it again: \`retired: false\` in the topology file, then \`admin device rotate\`.`;

function addDeviceRetire(device: Command, context: CommandContext): void {
  device
    .command('retire')
    .description('Take a device out of service; its history remains. Repeating it changes nothing.')
    .argument('<serial>', 'the serial number of the device')
    .addOption(jsonOption())
    .addHelpText('after', retireHelp)
    .action(async (serial: string, { json }: { json?: true }) => {
      const retired = await withDatabase(context.env, (db) => retireDevice(db, serial));
      if (json) return context.print(JSON.stringify(retired));
      context.print(`${retired.changed ? 'retired' : 'was retired before:'} device ${retired.serial}`);
    });
}

interface Options {
  readonly secret?: string;
  readonly json?: true;
}

const rotateHelp = `
The secret is printed only once and not stored. A connection with the old one ends within 5 seconds, on every
gateway; the unit delivers its pending crossings as soon as it has the new one.`;

function addDeviceRotate(device: Command, context: CommandContext): void {
  device
    .command('rotate')
    .description('Replace the secret of a device, also after it was revoked.')
    .argument('<serial>', 'the serial number of the device')
    .option('--secret <secret>', 'the new secret, at least 16 characters; generated when left out')
    .addOption(jsonOption())
    .addHelpText('after', rotateHelp)
    .action(async (serial: string, { secret, json }: Options) => {
      checkSecret('--secret', secret);
      const rotated = await withDatabase(context.env, (db) => rotateSecret(db, serial, secret));
      if (json) return context.print(JSON.stringify(rotated));
      context.print(
        `device ${rotated.serial} has a new secret\n\nShown only this once:\n  ${rotated.secret}`,
      );
    });
}

/**
 * Revokes the secret of a device: its connection ends, and it cannot log in until its secret is rotated.
 * `changed` is false if it was revoked before. Throws OperatorError: unknown-device.
 */
export async function revokeSecret(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device) => ({
    serial: device,
    changed: await revokeDeviceSecret(trx, device),
  }));
}

/**
 * Replaces the secret of a device; a connection with the old one ends. Throws OperatorError: unknown-device.
 */
export async function rotateSecret(db: Database, serial: string, secret = generateSecret()) {
  return changeDevice(db, serial, async (trx, device) => {
    await updateDevice(trx, device, { secretHash: hashSecret(secret) });
    return { serial: device, secret };
  });
}

/**
 * Retires a device: it no longer counts as inactive, its store is complete without it, and its secret is revoked.
 * `changed` is false if it was retired before. Throws OperatorError: unknown-device.
 */
export async function retireDevice(db: Database, serial: string) {
  return changeDevice(db, serial, async (trx, device, isRetired) => {
    if (!isRetired) await updateDevice(trx, device, { retired: true });
    const isRevoked = await revokeDeviceSecret(trx, device);
    return { serial: device, changed: !isRetired || isRevoked };
  });
}

/** Changes an existing device; `change` receives its serial as registered. */
function changeDevice<Result>(
  { kysely }: Database,
  serial: string,
  change: (trx: Transaction<Schema>, serial: string, isRetired: boolean) => Promise<Result>,
): Promise<Result> {
  const key = nameKey(serial);
  return kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { devices } = await loadTopology(trx, { companies: [], devices: [key] });
    const device = devices.get(key);
    if (device === undefined) throw unknownDevice(serial);
    return change(trx, device.serial, device.retired);
  });
}
