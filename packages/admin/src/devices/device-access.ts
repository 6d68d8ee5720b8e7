import { saveDevice } from '@visitor-counter/database/configuration/device';
import { generateSecret } from '@visitor-counter/database/credentials/credentials';
import { command } from '../command/command.ts';
import { type CommandContext, change } from '../command/context.ts';
import { findCompany, findDevice } from '../command/find.ts';
import { serialArgument } from '../command/options.ts';

export const revoke = command({
  name: 'revoke',
  description: 'Revoke the secret of a device: it cannot log in. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a unit that was stolen or is suspect. Its connection ends within 5 seconds, on every gateway; crossings
that it has delivered still count. \`admin device rotate\` replaces the secret.`,
  run: (context, _options, given) => saveKnown(context, given, 'revoked', { revoked: true }),
});

export const retire = command({
  name: 'retire',
  description: 'Take a device out of service; its history remains. Repeating it changes nothing.',
  argument: serialArgument,
  help: `
For a door that is closed, or a unit that is lost. Its connection ends within 5 seconds, and its secret is revoked;
its crossings still count, and its store is complete without it. Wait until the unit has delivered its crossings
first. To use it again: \`admin device set <serial> --retired false\`, then \`admin device rotate\`.`,
  run: (context, _options, given) => saveKnown(context, given, 'retired', { retired: true, revoked: true }),
});

export const rotate = command({
  name: 'rotate',
  description: 'Replace the secret of a device, also after it was revoked.',
  argument: serialArgument,
  help: `
The secret is printed only once and not stored; \`admin device set --secret-file\` saves your own. A connection with the old one
ends within 5 seconds, on every gateway; the unit delivers its pending crossings as soon as it has the new one.`,
  run: (context, _options, given) =>
    saveKnown(context, given, 'rotated', { secret: generateSecret(), revoked: false }),
});

/** Saves a device, given by its serial number in any letter case. */
function saveKnown(
  context: CommandContext,
  given: string,
  did: string,
  fields: Omit<Parameters<typeof saveDevice>[2], 'serial'>,
) {
  return change(context, async (trx) => {
    const { serial, company, retiredAt } = await findDevice(trx, given);
    const { secret } = fields;
    const { action } = await saveDevice(trx, await findCompany(trx, company), { serial, ...fields });
    const changed = action !== 'unchanged';
    const state = secret && retiredAt ? '; it is still retired' : '';
    const once = secret ? `\n\nShown only this once:\n  ${secret}` : '';
    return {
      json: { serial, changed, ...(secret && { secret }) },
      text: `${changed ? did : `was ${did} before:`} device ${serial}${state}${once}`,
    };
  });
}
