import { addDeviceCommand, type UnitOrder } from '@visitor-counter/database/operating/unit-orders';
import { parseInstant } from '@visitor-counter/domain/instant';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { Argument, type Command } from 'commander';
import { findDevice } from '../find-device.ts';
import type { Surroundings } from '../surroundings.ts';
import { withDatabase } from '../with-database.ts';
import { jsonOption, parseExpires } from './options.ts';

const commands = ['identify', 'resend', 'restart', 'begin-journal'] as const;

const help = `
  identify       blinks the unit's light for half a minute
  restart        restarts the unit's program: beams, detector and connection
  resend         sends crossings again that the unit still has: those --from to --until, or the sequences --first to
                 --last of --journal. What the server has stored already is not counted twice
  begin-journal  ends the journal --journal: the unit delivers all of it, and continues in a new one. For two units
                 that use the same journal because a card was copied

A unit executes a command once. If it does not connect --within the time, the command expires. \`admin device orders
<serial>\` shows its state.`;

interface Options {
  readonly from?: string;
  readonly until?: string;
  readonly journal?: string;
  readonly first?: string;
  readonly last?: string;
  readonly within: number;
  readonly json?: true;
}

export function addDeviceCommands(device: Command, around: Surroundings): void {
  device
    .command('command')
    .description('Order a command from a unit.')
    .argument('<serial>', 'the serial number of the device')
    .addArgument(new Argument('<command>', 'what to do').choices(commands))
    .option('--from <instant>', 'resend: from this instant')
    .option('--until <instant>', 'resend: to this instant; without it, to now')
    .option('--journal <id>', 'resend, begin-journal: the id of the journal')
    .option('--first <sequence>', 'resend: from this sequence of the journal')
    .option('--last <sequence>', 'resend: to this sequence of the journal')
    .option(
      '--within <time>',
      'how long the unit has time to connect',
      (text) => parseExpires(text) ?? 0,
      parseExpires('24h') ?? 0,
    )
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (given: string, command: (typeof commands)[number], { json, ...options }: Options) => {
      const order = orderOf(command, options);
      const expiresAt = new Date(options.within);
      const ordered = await withDatabase(around.env, async (db) => {
        const { id, serial } = await findDevice(db, given);
        return { serial, id: await addDeviceCommand(db.kysely, id, order, expiresAt) };
      });
      around.print(
        json ? JSON.stringify(ordered) : `${command} ordered from ${ordered.serial}: command ${ordered.id}`,
      );
    });
}

function orderOf(command: (typeof commands)[number], options: Options): UnitOrder {
  const { from, until, journal, first, last } = options;
  if (command === 'begin-journal') return { command, journal: journalId(journal) };
  if (command !== 'resend') return { command };
  if (journal !== undefined || first !== undefined || last !== undefined) {
    const range = { first: sequence('--first', first), last: sequence('--last', last) };
    return { command, journal: journalId(journal), ...range };
  }
  return {
    ...{ command, from: instant('--from', from) },
    until: until === undefined ? Date.now() : instant('--until', until),
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

function instant(option: string, text: string | undefined): number {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at !== undefined) return at;
  throw new ConfigurationError(option, text, 'an instant such as 2026-11-20T10:00:00Z');
}
