import {
  readUnitOrders,
  setDeviceConfig,
  type UnitOrders,
} from '@visitor-counter/database/operating/unit-orders';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { findDevice } from '../find-device.ts';
import type { Surroundings } from '../surroundings.ts';
import { instantText } from '../terminal/instant-text.ts';
import { withDatabase } from '../with-database.ts';
import { jsonOption } from './options.ts';

const help = `
Without --set, prints what is set and what the unit says of it. The settings replace the remote settings that the unit
had, and stand over its own file; {} takes them all back. A unit takes detector, oneBeam, uplink and keep, with the
keys of its file; one that it cannot use it refuses as a whole, says so with its next heartbeat, and goes on as before.
A unit that is away gets them when it connects.

Example:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'`;

interface Options {
  readonly set?: string;
  readonly json?: true;
}

/** Beyond it a message is larger than a unit takes. */
const largest = 16 * 1024;

export function addDeviceConfigure(device: Command, around: Surroundings): void {
  device
    .command('configure')
    .description('Set a unit from afar, and see whether it has taken the settings.')
    .argument('<serial>', 'the serial number of the device')
    .option('--set <settings>', 'all remote settings, as YAML or JSON')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (given: string, { set, json }: Options) => {
      const settings = set === undefined ? undefined : parseSettings(set);
      const { serial, orders } = await withDatabase(around.env, async (db) => {
        const { id, serial } = await findDevice(db, given);
        if (settings) await setDeviceConfig(db.kysely, id, settings);
        return { serial, orders: await readUnitOrders(db.kysely, id) };
      });
      around.print(json ? JSON.stringify({ serial, ...orders }) : ordersText(serial, orders));
    });
}

function parseSettings(text: string): object {
  const settings = parsedYaml(text);
  const isMap = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
  if (isMap && Buffer.byteLength(JSON.stringify(settings)) <= largest) return settings;
  throw new ConfigurationError('--set', text.slice(0, 100), `keys and values, at most ${largest} bytes`);
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new ConfigurationError('--set', error.message.split('\n')[0], 'YAML or JSON');
  }
}

function ordersText(serial: string, { config, answered, commands, commandsThrough }: UnitOrders): string {
  const lines = config
    ? [
        `${serial}: revision ${config.revision} of ${instantText(config.setAt)}, ${answerText(config.revision, answered)}`,
      ]
    : [`${serial}: no remote settings`];
  if (config) lines.push(`  ${JSON.stringify(config.settings)}`);
  for (const { id, command, createdAt, expiresAt } of commands) {
    const done = typeof commandsThrough === 'number' && commandsThrough >= id;
    const state = done ? 'done' : expiresAt.getTime() < Date.now() ? 'expired' : 'waiting';
    lines.push(`  command ${id} of ${instantText(createdAt)}, ${state}: ${JSON.stringify(command)}`);
  }
  return lines.join('\n');
}

function answerText(revision: number, answered: unknown): string {
  if (typeof answered !== 'object' || answered === null || !('revision' in answered))
    return 'not yet answered';
  if (answered.revision !== revision) return 'not yet answered';
  return 'problem' in answered ? `refused: ${String(answered.problem)}` : 'taken';
}
