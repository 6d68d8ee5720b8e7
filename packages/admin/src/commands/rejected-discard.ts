import { discardOne, discardRejected } from '@visitor-counter/database/rejected/discard-rejected';
import { type Command, InvalidArgumentError } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { OperatorError } from '../context/operator-error.ts';
import { withDatabase } from '../context/with-database.ts';
import { unknownMessage } from '../rejected/retry-message.ts';
import { deviceOption, jsonOption, parseId } from './options.ts';

const help = `
Discarded messages are deleted: their crossings are never counted. rejected list shows what there is, rejected show
--json prints a message byte for byte. With --device, all messages of the device (with --reason, those of that reason) are discarded
if there are exactly --count of them; otherwise none is.

When 10,000 messages of a device are stored as rejected, further ones are not acknowledged. Its unit continues
automatically when there is room again.

JSON: {"discarded":<how many>}`;

interface Options {
  readonly device?: string;
  readonly reason?: string;
  readonly count?: number;
  readonly json?: true;
}

export function addRejectedDiscard(rejected: Command, around: Surroundings): void {
  const command = rejected.command('discard');
  command
    .description('Discard a rejected message, or those of a device, permanently.')
    .argument('[id]', 'its number in rejected list', parseId)
    .addOption(deviceOption())
    .option('--reason <text>', 'what the reason begins with, such as conflict')
    .option('--count <n>', 'the number of messages of --device', parseCount)
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (id: string | undefined, { json, ...options }: Options) => {
      const { device, count, reason } = options;
      const isOne = id !== undefined && Object.keys(options).length === 0;
      const isMany = id === undefined && device !== undefined && count !== undefined;
      if (!isOne && !isMany) {
        command.error(
          'error: give the number of a message, or --device <serial> --count <n> [--reason <text>]',
        );
      }
      const discarded = await (isMany
        ? discardMany(around, { serial: device, count, ...(reason !== undefined && { reason }) })
        : discardById(around, id ?? ''));
      around.print(json ? JSON.stringify({ discarded }) : `${discarded} discarded`);
    });
}

async function discardById({ env }: Surroundings, id: string): Promise<number> {
  const found = await withDatabase(env, ({ kysely }) => discardOne(kysely, id));
  if (!found) throw unknownMessage(id);
  return 1;
}

async function discardMany(
  { env }: Surroundings,
  what: Parameters<typeof discardRejected>[1],
): Promise<number> {
  const { found, discarded } = await withDatabase(env, ({ kysely }) => discardRejected(kysely, what));
  if (discarded) return found;
  throw new OperatorError(
    'other-count',
    `nothing was discarded: --count is ${what.count}, and there are ${found} such messages of ${what.serial}`,
  );
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 1 on.');
}
