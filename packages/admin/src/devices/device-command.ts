import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type ArgumentSpec, command } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { deviceFilter, journalId, within, yes } from '../command/options.ts';
import { tableOf } from '../command/text.ts';
import { chooseDevices, confirmFor, orderCommand } from './order.ts';

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
    ...deviceFilter,
    yes,
    journal: { value: '<id>', description: 'begin-journal: the id of the journal', kind: journalId },
    within,
  },
  help: `
  identify       blinks the unit's light for half a minute
  restart        restarts the unit's program: beams, detector and connection
  diagnose       examines the unit; \`admin device diagnose\` shows the result
  begin-journal  ends the journal --journal: the unit delivers all of it, and continues in a new one. For two units
                 that use the same journal because a card was copied

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device command CU-1 identify
  admin device command CU-1 CU-2 restart
  admin device command restart --company Acme --group West --yes

A unit executes a command once; after a restart it may do so again, except \`restart\`.
If it does not connect --within the time, the command expires. \`admin device orders\`
shows its state.`,
  run: async (context, options, given) => {
    const { company, store, group, journal } = options;
    const order = orderOf(given.at(-1), journal);
    const serials = given.slice(0, -1);
    const ordered = await withChanges(context, async (db, author) => {
      const devices = await chooseDevices(db, { serials, company, store, group });
      if (devices.length > 1 && journal !== undefined)
        throw new ConfigurationError('--journal', journal, 'one device: no two have the same journal');
      await confirmFor(context, order.command, devices, options);
      return orderCommand(db, author, devices, { order, expires: options.within });
    });
    return { json: ordered, text: tableOf(ordered) };
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
