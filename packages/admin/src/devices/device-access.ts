import { deviceConcerned, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { revokeDeviceSecret, updateDevice } from '@visitor-counter/database/devices/write-device';
import type { DB } from '@visitor-counter/database/sql/schema';
import { loadTopology, lockTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import { command, secretOption } from '../command/command.ts';
import { type CommandContext, inTransaction } from '../command/context.ts';
import { unknownDevice } from '../command/find.ts';
import { checkSecret, serialArgument } from '../command/options.ts';

export const revoke = command({
  name: 'revoke',
  description: 'Revoke the secret of a device: it cannot log in. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a unit that was stolen or is suspect. Its connection ends within 5 seconds, on every gateway; crossings
that it has delivered still count. \`admin device rotate\` replaces the secret.`,
  run: (context, _options, given) =>
    changeDevice(context, given, async (trx, { serial }, record) => {
      const changed = await revokeDeviceSecret(trx, serial);
      if (changed) await record('secret revoked');
      const did = changed ? 'revoked' : 'was revoked before:';
      return { json: { serial, changed }, text: `${did} the secret of device ${serial}` };
    }),
});

export const retire = command({
  name: 'retire',
  description: 'Take a device out of service; its history remains. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a door that is closed, or a unit that is lost. Its connection ends within 5 seconds, and its secret is revoked;
its crossings still count, and its store is complete without it. Wait until the unit has delivered its crossings
first. To use it again: \`retired: false\` in the topology file, then \`admin device rotate\`.`,
  run: (context, _options, given) =>
    changeDevice(context, given, async (trx, { serial, retired }, record) => {
      if (!retired) await updateDevice(trx, serial, { retired: true });
      const changed = (await revokeDeviceSecret(trx, serial)) || !retired;
      if (changed) await record('retired');
      return {
        json: { serial, changed },
        text: `${changed ? 'retired' : 'was retired before:'} device ${serial}`,
      };
    }),
});

export const rotate = command({
  name: 'rotate',
  description: 'Replace the secret of a device, also after it was revoked.',
  argument: serialArgument,
  options: {
    secret: secretOption(
      '<secret>',
      'the new secret, at least 16 characters of ASCII; generated when left out',
    ),
  },
  help: `
The secret is printed only once and not stored. A connection with the old one ends within 5 seconds, on every
gateway; the unit delivers its pending crossings as soon as it has the new one.`,
  run: async (context, { secret = generateSecret() }, given) => {
    checkSecret('--secret', secret);
    return changeDevice(context, given, async (trx, { serial, retired }, record) => {
      await updateDevice(trx, serial, { secretHash: hashSecret(secret) });
      await record('secret rotated');
      const state = retired ? '; it is still retired: set `retired: false` in the topology file' : '';
      const text = `device ${serial} has a new secret${state}\n\nShown only this once:\n  ${secret}`;
      return { json: { serial, secret }, text };
    });
  },
});

/**
 * Changes a device, given by its serial number in any letter case; `record` adds an entry to the audit log. Throws
 * OperatorError if there is none.
 */
function changeDevice<Result>(
  context: CommandContext,
  serial: string,
  change: (
    trx: Transaction<DB>,
    device: { readonly serial: string; readonly retired: boolean },
    record: (action: string) => Promise<void>,
  ) => Promise<Result>,
): Promise<Result> {
  const key = nameKey(serial);
  return inTransaction(context, async (trx, author) => {
    await lockTopology(trx);
    const { devices } = await loadTopology(trx, { companies: [], devices: [key] });
    const device = devices.get(key);
    if (device === undefined) throw unknownDevice(serial);
    return change(trx, device, async (action) => {
      await recordAudit(trx, author, { action, ...(await deviceConcerned(trx, device.id)) });
    });
  });
}
