import { addDeviceCommand } from '@visitor-counter/database/devices/unit-commands';
import { utcText } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type ArgumentSpec, command } from '../command/command.ts';
import { journalId, within } from '../command/options.ts';
import { choiceHelp, choiceOptions, orderFromEach } from './chosen-devices.ts';

const names = 'identify, restart, diagnose, begin-journal';

const words: ArgumentSpec<readonly string[]> = {
  name: '<serials-and-command...>',
  description: `serial numbers, if any, and then: ${names}`,
};

export const commandCommand = command({
  name: 'command',
  description: 'Order a command from one unit or several.',
  argument: words,
  options: {
    ...choiceOptions,
    journal: { value: '<id>', description: 'begin-journal: the id of the journal', kind: journalId },
    within,
  },
  help: `
  identify       blinks the unit's light for half a minute
  restart        restarts the unit's program: beams, detector and connection
  diagnose       examines the unit; \`admin device diagnose\` shows the result
  begin-journal  ends the journal --journal: the unit delivers all of it, and continues in a new one. For two units
                 that use the same journal because a card was copied
${choiceHelp}

Examples:
  admin device command CU-1 identify
  admin device command CU-1 CU-2 restart
  admin device command restart --company Acme --group West --yes

A unit executes a command once; after a restart it may do so again, except \`restart\`.
If it does not connect --within the time, the command expires. \`admin device orders\`
shows its state.`,
  run: async (context, { journal, within: expires, ...choice }, given) => {
    const order = orderOf(given.at(-1), journal);
    const serials = given.slice(0, -1);
    if (serials.length !== 1 && journal !== undefined)
      throw new ConfigurationError(
        '--journal',
        journal,
        'one serial number: no two units have the same journal',
      );
    const details = { ...order, expires: utcText(expires) };
    return orderFromEach(
      context,
      order.command,
      { ...choice, serials },
      'command ordered',
      async (trx, device) => {
        const id = await addDeviceCommand(trx, device, order, expires);
        return { output: { id }, details: { id, ...details } };
      },
    );
  },
});

/** The command of the last word. Throws ConfigurationError if it is unknown, or if `--journal` does not fit. */
function orderOf(word: string | undefined, journal: string | undefined): UnitOrder {
  if (word === 'begin-journal' && journal !== undefined) return { command: word, journal };
  if (word === 'begin-journal' || journal !== undefined)
    throw new ConfigurationError('--journal', journal, 'a value for begin-journal, and nothing for others');
  if (word === 'identify' || word === 'restart' || word === 'diagnose') return { command: word };
  throw new ConfigurationError('<command>', word, `one of ${names}, after the serial numbers`);
}
