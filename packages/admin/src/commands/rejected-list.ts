import { listRejected, type RejectedMessage } from '@visitor-counter/database/rejected/rejected-messages';
import { type Command, InvalidArgumentError } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { instantText } from '../terminal/instant-text.ts';
import { plain } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { companyOption, deviceOption, jsonOption, parseId } from './options.ts';

interface Options {
  readonly company?: string;
  readonly device?: string;
  readonly reason?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json?: true;
}

export function addRejectedList(rejected: Command, around: Surroundings): void {
  rejected
    .command('list')
    .description('List rejected messages, oldest first: device, time, reason.')
    .addOption(companyOption())
    .addOption(deviceOption())
    .option('--reason <text>', 'what the reason begins with, such as conflict')
    .option('--after <id>', 'only those after this one: the next page', parseId)
    .option('--limit <n>', 'how many at most, 1 to 1000', parseLimit, 50)
    .addOption(jsonOption())
    .addHelpText('after', '\nJSON: {"rejected":[…],"next":"<id for --after, or null>"}')
    .action(async ({ device: serial, limit, json, ...filter }: Options) => {
      const found = await withDatabase(around.env, ({ kysely }) =>
        listRejected(kysely, { ...filter, ...(serial && { serial }) }, limit + 1),
      );
      const listed = found.slice(0, limit);
      const next = found.length > limit ? (listed.at(-1)?.id ?? null) : null;
      if (json) return around.print(JSON.stringify({ rejected: listed, next }));
      around.print(rejectedTable(listed));
      if (next) around.print(`\nThere are more: --after ${next}`);
    });
}

function parseLimit(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 1_000) {
    throw new InvalidArgumentError('Expected a number, 1 to 1000.');
  }
  return Number(text);
}

function rejectedTable(listed: readonly RejectedMessage[]): string {
  return table(
    ['ID', 'DEVICE', 'COMPANY', 'RECEIVED', 'TOPIC', 'REASON'],
    listed.map(({ id, serial, company, receivedAt, topic, reason }) => [
      ...[id, serial, company, instantText(receivedAt), plain(topic), plain(reason)],
    ]),
  );
}
