import { addDeviceCommand, type UnitOrder } from '@visitor-counter/database/commands/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Command } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { withDatabase } from '../command/context.ts';
import {
  companyOption,
  groupOption,
  inStoreOption,
  jsonOption,
  parseInstantOption,
  withinOption,
  yesOption,
} from '../command/options.ts';
import {
  type ChosenDevice,
  chooseDevices,
  confirmFor,
  type DeviceChoice,
  definedParts,
} from './find-devices.ts';

const commands = ['identify', 'resend', 'restart', 'diagnose', 'begin-journal'] as const;

type CommandName = (typeof commands)[number];

const help = `
  identify       blinks the unit's light for half a minute
  restart        restarts the unit's program: beams, detector and connection
  diagnose       orders a diagnosis; see \`admin device diagnose\`
  resend         sends crossings again that the unit still has: those --from to --until, or the sequences --first to
                 --last of --journal. What the server has stored already is not counted twice
  begin-journal  ends the journal --journal: the unit delivers all of it, and continues in a new one. For two units
                 that use the same journal because a card was copied

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device command CU-1 identify
  admin device command CU-1 CU-2 restart
  admin device command restart --company Acme --group West --yes

A unit executes a command once. If it does not connect --within the time, the command expires. \`admin device orders
<serial>\`, or with the same choice, shows its state.`;

interface Options extends Omit<DeviceChoice, 'serials'> {
  readonly yes?: true;
  readonly from?: string;
  readonly until?: string;
  readonly journal?: string;
  readonly first?: string;
  readonly last?: string;
  readonly within: number;
  readonly json?: true;
}

export function addCommandOrder(device: Command, context: CommandContext): void {
  device
    .command('command')
    .description('Order a command from one unit or several.')
    .argument('<serials-and-command...>', `serial numbers, if any, and then: ${commands.join(', ')}`)
    .addOption(companyOption())
    .addOption(inStoreOption())
    .addOption(groupOption())
    .addOption(yesOption())
    .option('--from <instant>', 'resend: from this instant')
    .option('--until <instant>', 'resend: to this instant; without it, to now')
    .option('--journal <id>', 'resend, begin-journal: the id of the journal')
    .option('--first <sequence>', 'resend: from this sequence of the journal')
    .option('--last <sequence>', 'resend: to this sequence of the journal')
    .addOption(withinOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (words: string[], options: Options) => {
      const command = commandNamed(words.at(-1));
      const { company, store, group, json } = options;
      const order = orderOf(command, options);
      const choice = { serials: words.slice(0, -1), ...definedParts({ company, store, group }) };
      const ordered = await withDatabase(context.env, async (db) => {
        const devices = await chooseDevices(db, choice);
        if (devices.length > 1 && 'journal' in order) throw ofOneJournal(options.journal);
        await confirmFor(context, command, devices, options);
        return orderFrom(db, devices, order, new Date(options.within));
      });
      const isOne = ordered.length === 1 && choice.serials.length === 1;
      if (json) return context.print(JSON.stringify(isOne ? ordered[0] : ordered));
      const [first] = ordered;
      context.print(
        isOne && first
          ? `${command} ordered from ${first.serial}: command ${first.id}`
          : `${command} ordered from ${ordered.length} devices`,
      );
    });
}

/** All of them, or none. */
function orderFrom({ kysely }: Database, devices: readonly ChosenDevice[], order: UnitOrder, expires: Date) {
  return kysely.transaction().execute(async (trx) => {
    const ordered: { serial: string; id: number }[] = [];
    for (const { id, serial } of devices)
      ordered.push({ serial, id: await addDeviceCommand(trx, id, order, expires) });
    return ordered;
  });
}

function commandNamed(word: string | undefined): CommandName {
  const command = commands.find((name) => name === word);
  if (command) return command;
  throw new ConfigurationError('<command>', word, `one of ${commands.join(', ')}, after the serial numbers`);
}

function ofOneJournal(journal: string | undefined): ConfigurationError {
  return new ConfigurationError('--journal', journal, 'one device: no two have the same journal');
}

function orderOf(command: CommandName, options: Options): UnitOrder {
  const { from, until, journal, first, last } = options;
  if (command === 'begin-journal') return { command, journal: journalId(journal) };
  if (command !== 'resend') return { command };
  if (journal !== undefined || first !== undefined || last !== undefined) {
    const range = { first: sequence('--first', first), last: sequence('--last', last) };
    return { command, journal: journalId(journal), ...range };
  }
  return {
    ...{ command, from: parseInstantOption('--from', from) },
    until: until === undefined ? Date.now() : parseInstantOption('--until', until),
  };
}

function journalId(text: string | undefined): string {
  if (text !== undefined && /^[!-~]{1,128}$/.test(text)) return text;
  throw new ConfigurationError('--journal', text, 'the id of a journal, as heartbeats report it');
}

function sequence(option: string, text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new ConfigurationError(option, text, 'a sequence, 1 or more');
}
