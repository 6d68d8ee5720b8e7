import { addDeviceCommand } from '@visitor-counter/database/operating/unit-orders';
import { parseInstant } from '@visitor-counter/domain/instant';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { Argument, type Command } from 'commander';
import { findDevice } from '../find-device.ts';
import type { Surroundings } from '../surroundings.ts';
import { withDatabase } from '../with-database.ts';
import { jsonOption, parseExpires } from './options.ts';

const commands = ['identify', 'resend', 'restart'] as const;

const help = `
  identify  blinks the unit's light for half a minute
  resend    sends again what the unit keeps of the crossings --from to --until; the server knows them already, so
            nothing is counted twice. For a database that was restored from a backup
  restart   starts beams, detector and connection of the door anew

The unit does it once, when it is connected, or not at all after --within. \`admin device configure <serial>\` tells
whether it is done.`;

interface Options {
  readonly from?: string;
  readonly until?: string;
  readonly within: number;
  readonly json?: true;
}

export function addDeviceCommands(device: Command, around: Surroundings): void {
  device
    .command('command')
    .description('Ask a unit to do something.')
    .argument('<serial>', 'the serial number of the device')
    .addArgument(new Argument('<command>', 'what to do').choices(commands))
    .option('--from <instant>', 'resend: from this instant on')
    .option('--until <instant>', 'resend: up to this instant; now when left out')
    .option(
      '--within <time>',
      'for how long to wait for the unit',
      (text) => parseExpires(text) ?? 0,
      parseExpires('24h') ?? 0,
    )
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (given: string, command: (typeof commands)[number], { json, ...options }: Options) => {
      const content = command === 'resend' ? { command, ...stretch(options) } : { command };
      const expiresAt = new Date(options.within);
      const asked = await withDatabase(around.env, async (db) => {
        const { id, serial } = await findDevice(db, given);
        return { serial, id: await addDeviceCommand(db.kysely, id, content, expiresAt) };
      });
      around.print(json ? JSON.stringify(asked) : `asked ${asked.serial} to ${command}: command ${asked.id}`);
    });
}

function stretch({ from, until }: Options): { from: number; until: number } {
  return {
    from: instant('--from', from),
    until: until === undefined ? Date.now() : instant('--until', until),
  };
}

function instant(option: string, text: string | undefined): number {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at !== undefined) return at;
  throw new ConfigurationError(option, text, 'an instant such as 2026-11-20T10:00:00Z');
}
