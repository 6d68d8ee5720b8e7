import {
  discardOne,
  discardRejected,
  findRejected,
  listRejected,
  type RejectedMessage,
} from '@visitor-counter/database/rejected/rejected-messages';
import type { Command } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { companyOption, deviceOption, jsonOption, parseId, parseWholeNumber } from '../command/options.ts';
import { instantText, plain, table } from '../command/text.ts';
import { payloadText } from './payload.ts';
import { addRejectedRetry, unknownMessage } from './rejected-retry.ts';

/** Adds the commands about rejected messages. */
export function addRejectedCommands(program: Command, context: CommandContext): void {
  const rejected = program
    .command('rejected')
    .description('List messages of units that could not be stored; retry or discard them.');
  addRejectedList(rejected, context);
  addRejectedShow(rejected, context);
  addRejectedRetry(rejected, context);
  addRejectedDiscard(rejected, context);
}

interface ListOptions {
  readonly company?: string;
  readonly device?: string;
  readonly reason?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json?: true;
}

function addRejectedList(rejected: Command, context: CommandContext): void {
  rejected
    .command('list')
    .description('List rejected messages, oldest first: device, time, reason.')
    .addOption(companyOption())
    .addOption(deviceOption())
    .option('--reason <text>', 'the beginning of the reason, such as conflict')
    .option('--after <id>', 'only those after this one: the next page', parseId)
    .option('--limit <n>', 'how many at most, 1 to 1000', parseWholeNumber(1_000), 50)
    .addOption(jsonOption())
    .addHelpText('after', '\nJSON: {"rejected":[…],"next":"<id for --after, or null>"}')
    .action(async ({ device: serial, limit, json, ...filter }: ListOptions) => {
      const found = await withDatabase(context.env, ({ kysely }) =>
        listRejected(kysely, { ...filter, ...(serial && { serial }) }, limit + 1),
      );
      const listed = found.slice(0, limit);
      const next = found.length > limit ? (listed.at(-1)?.id ?? null) : null;
      if (json) return context.print(JSON.stringify({ rejected: listed, next }));
      context.print(rejectedTable(listed));
      if (next) context.print(`\nThere are more: --after ${next}`);
    });
}

function rejectedTable(listed: readonly RejectedMessage[]): string {
  return table(
    ['ID', 'DEVICE', 'COMPANY', 'RECEIVED', 'TOPIC', 'REASON'],
    listed.map(({ id, serial, company, receivedAt, topic, reason }) => [
      ...[id, serial, company, instantText(receivedAt), plain(topic), plain(reason)],
    ]),
  );
}

function addRejectedShow(rejected: Command, context: CommandContext): void {
  rejected
    .command('show')
    .description('Show a rejected message and its content.')
    .argument('<id>', 'its number in rejected list', parseId)
    .addOption(jsonOption())
    .addHelpText('after', '\nJSON has the payload as base64, byte for byte.')
    .action(async (id: string, { json }: { json?: true }) => {
      const found = await withDatabase(context.env, ({ kysely }) => findRejected(kysely, id));
      if (found === undefined) throw unknownMessage(id);
      const { payload, ...message } = found;
      if (json) return context.print(JSON.stringify({ ...message, payload: payload.toString('base64') }));
      context.print(`${head(message)}\n\n${payloadText(message.reason, payload)}`);
    });
}

function head({ id, serial, company, receivedAt, topic, reason }: RejectedMessage): string {
  return [
    `message   ${id}`,
    `device    ${serial} of ${company}`,
    `received  ${instantText(receivedAt)}`,
    `topic     ${plain(topic)}`,
    `reason    ${plain(reason)}`,
  ].join('\n');
}

const discardHelp = `
Discarded messages are deleted: their crossings are never counted. rejected list shows them, rejected show
--json prints a message byte for byte. With --device, all messages of the device (with --reason, those of that reason) are discarded
if there are exactly --count of them; otherwise none is.

When 10,000 messages of a device are stored as rejected, further ones are not acknowledged. Its unit continues
automatically when there is room again.

JSON: {"discarded":<how many>}`;

interface DiscardOptions {
  readonly device?: string;
  readonly reason?: string;
  readonly count?: number;
  readonly json?: true;
}

function addRejectedDiscard(rejected: Command, context: CommandContext): void {
  const command = rejected.command('discard');
  command
    .description('Discard a rejected message, or those of a device, permanently.')
    .argument('[id]', 'its number in rejected list', parseId)
    .addOption(deviceOption())
    .option('--reason <text>', 'the beginning of the reason, such as conflict')
    .option('--count <n>', 'the number of messages of --device', parseWholeNumber(999_999_999))
    .addOption(jsonOption())
    .addHelpText('after', discardHelp)
    .action(async (id: string | undefined, { json, ...options }: DiscardOptions) => {
      const { device, count, reason } = options;
      const isOne = id !== undefined && Object.keys(options).length === 0;
      const isMany = id === undefined && device !== undefined && count !== undefined;
      if (!isOne && !isMany) {
        command.error(
          'error: expected the number of a message, or --device <serial> --count <n> [--reason <text>]',
        );
      }
      const discarded = await (isMany
        ? discardMany(context, { serial: device, count, ...(reason !== undefined && { reason }) })
        : discardById(context, id ?? ''));
      context.print(json ? JSON.stringify({ discarded }) : `${discarded} discarded`);
    });
}

async function discardById({ env }: CommandContext, id: string): Promise<number> {
  const found = await withDatabase(env, ({ kysely }) => discardOne(kysely, id));
  if (!found) throw unknownMessage(id);
  return 1;
}

async function discardMany(
  { env }: CommandContext,
  what: Parameters<typeof discardRejected>[1],
): Promise<number> {
  const { found, discarded } = await withDatabase(env, ({ kysely }) => discardRejected(kysely, what));
  if (discarded) return found;
  throw new OperatorError(
    'other-count',
    `nothing was discarded: --count is ${what.count}, and there are ${found} such messages of ${what.serial}`,
  );
}
