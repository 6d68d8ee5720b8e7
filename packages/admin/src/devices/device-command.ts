import { utcText } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import type { CommandName, UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type ArgumentSpec, command, type OptionSpec } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { deviceFilter, instant, journalId, within, yes } from '../command/options.ts';
import { chooseDevices, confirmFor, orderCommand } from './order.ts';

/** The meaning of each command, in lines of `--help`. */
const meanings: Readonly<Record<CommandName, readonly string[]>> = {
  identify: ["blinks the unit's light for half a minute"],
  restart: ["restarts the unit's program: beams, detector and connection"],
  diagnose: ['orders a diagnosis; see `admin device diagnose`'],
  resend: [
    'sends crossings again that the unit still has: those --from to --until, or the sequences --first to',
    '--last of --journal. What the server has stored already is not counted twice',
  ],
  'begin-journal': [
    'ends the journal --journal: the unit delivers all of it, and continues in a new one. For two units',
    'that use the same journal because a card was copied',
  ],
};
const names = Object.keys(meanings).join(', ');
const meaningLines = Object.entries(meanings).flatMap(([name, lines]) =>
  lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(13)}  ${line}`),
);

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
    from: instant('resend: from this instant'),
    until: instant('resend: to this instant; without it, to now'),
    journal: { value: '<id>', description: 'resend, begin-journal: the id of the journal', kind: journalId },
    first: sequence('resend: from this sequence of the journal'),
    last: sequence('resend: to this sequence of the journal'),
    within,
  },
  help: `
${meaningLines.join('\n')}

Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.

Examples:
  admin device command CU-1 identify
  admin device command CU-1 CU-2 restart
  admin device command restart --company Acme --group West --yes

A unit executes a command once. If it does not connect --within the time, the command expires. \`admin device orders
<serial>\`, or with the same choice, shows its state.`,
  run: async (context, options, given) => {
    const { company, store, group, journal } = options;
    const order = orderOf(given.at(-1), options);
    refuseOthers(order, options);
    const serials = given.slice(0, -1);
    const ordered = await withChanges(context, async (db, author) => {
      const devices = await chooseDevices(db, { serials, company, store, group });
      if (devices.length > 1 && 'journal' in order)
        throw new ConfigurationError('--journal', journal, 'one device: no two have the same journal');
      await confirmFor(context, order.command, devices, options);
      return orderCommand(db, author, devices, { order, expires: options.within });
    });
    const [first] = ordered;
    return serials.length === 1 && first
      ? { json: first, text: `${order.command} ordered from ${first.serial}: command ${first.id}` }
      : { json: ordered, text: `${order.command} ordered from ${ordered.length} devices` };
  },
});

function sequence(description: string): OptionSpec<number> {
  const { parse } = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  return { value: '<sequence>', description, kind: { expected: 'a sequence, 1 or more', parse } };
}

interface OrderOptions {
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly journal: string | undefined;
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** The command of the last word. Throws ConfigurationError if it is unknown, or an option of it is missing. */
function orderOf(word: string | undefined, options: OrderOptions): UnitOrder {
  if (!isCommandName(word))
    throw new ConfigurationError('<command>', word, `one of ${names}, after the serial numbers`);
  switch (word) {
    case 'identify':
    case 'restart':
    case 'diagnose':
      return { command: word };
    case 'resend':
      return resendOf(options);
    case 'begin-journal':
      return { command: word, journal: needed('--journal', options.journal) };
  }
}

/** Throws ConfigurationError for an option that the command does not have. */
function refuseOthers(order: UnitOrder, { from, until, journal, first, last }: OrderOptions): void {
  const instants = { from: from && utcText(from), until: until && utcText(until) };
  for (const [name, value] of Object.entries({ ...instants, journal, first, last })) {
    if (value === undefined || name in order) continue;
    const expected =
      order.command === 'resend'
        ? 'either --from and --until, or --journal, --first and --last'
        : `nothing: ${order.command} has no such option`;
    throw new ConfigurationError(`--${name}`, String(value), expected);
  }
}

function isCommandName(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(meanings, word);
}

function resendOf({ from, until = Date.now(), journal, first, last }: OrderOptions): UnitOrder {
  const command = 'resend';
  if (journal === undefined && first === undefined && last === undefined) {
    const expected = 'an instant, or instead --journal, --first and --last';
    const begin = needed('--from', from, expected);
    if (until >= begin) return { command, from: begin, until };
    throw new ConfigurationError('--until', utcText(until), 'an instant that is not before --from');
  }
  const order = {
    command,
    journal: needed('--journal', journal),
    first: needed('--first', first),
    last: needed('--last', last),
  } as const;
  if (order.last >= order.first) return order;
  throw new ConfigurationError('--last', String(last), 'a sequence that is not before --first');
}

function needed<Value>(
  option: string,
  value: Value | undefined,
  expected = 'a value for this command',
): Value {
  if (value !== undefined) return value;
  throw new ConfigurationError(option, undefined, expected);
}
