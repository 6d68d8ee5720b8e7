import { saveDevice } from '@visitor-counter/database/configuration/device';
import { generateSecret } from '@visitor-counter/database/credentials/secret';
import { command, secretOption } from '../command/command.ts';
import type { CommandContext } from '../command/context.ts';
import { findCompany, findDevice } from '../command/find.ts';
import { checkSecret, serialArgument } from '../command/options.ts';
import { configure } from '../topology/save-entry.ts';

export const revoke = command({
  name: 'revoke',
  description: 'Revoke the secret of a device: it cannot log in. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a unit that was stolen or is suspect. Its connection ends within 5 seconds, on every gateway; crossings
that it has delivered still count. \`admin device rotate\` replaces the secret.`,
  run: async (context, _options, given) => {
    const { serial, changed } = await saveKnown(context, given, { revoked: true });
    const did = changed ? 'revoked' : 'was revoked before:';
    return { json: { serial, changed }, text: `${did} the secret of device ${serial}` };
  },
});

export const retire = command({
  name: 'retire',
  description: 'Take a device out of service; its history remains. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a door that is closed, or a unit that is lost. Its connection ends within 5 seconds, and its secret is revoked;
its crossings still count, and its store is complete without it. Wait until the unit has delivered its crossings
first. To use it again: \`retired: false\` in the topology file, then \`admin device rotate\`.`,
  run: async (context, _options, given) => {
    const { serial, changed } = await saveKnown(context, given, { retired: true, revoked: true });
    const did = changed ? 'retired' : 'was retired before:';
    return { json: { serial, changed }, text: `${did} device ${serial}` };
  },
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
    const { serial, retiredAt } = await saveKnown(context, given, { secret, revoked: false });
    const state = retiredAt ? '; it is still retired: set `retired: false` in the topology file' : '';
    const text = `device ${serial} has a new secret${state}\n\nShown only this once:\n  ${secret}`;
    return { json: { serial, secret }, text };
  },
});

/** Saves a device, given by its serial number in any letter case, and says whether that has changed anything. */
function saveKnown(
  context: CommandContext,
  given: string,
  fields: Omit<Parameters<typeof saveDevice>[2], 'serial'>,
) {
  return configure(context, async (trx) => {
    const device = await findDevice(trx, given);
    const owner = await findCompany(trx, device.company);
    const saved = await saveDevice(trx, owner, { serial: device.serial, ...fields });
    return { ...device, changed: saved.action !== 'unchanged' };
  });
}
