import { findRejected, type RejectedMessage } from '@visitor-counter/database/rejected/rejected-messages';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { payloadText } from '../rejected/payload-text.ts';
import { unknownMessage } from '../rejected/retry-message.ts';
import { instantText } from '../terminal/instant-text.ts';
import { plain } from '../terminal/plain.ts';
import { jsonOption, parseId } from './options.ts';

export function addRejectedShow(rejected: Command, around: Surroundings): void {
  rejected
    .command('show')
    .description('Show a rejected message and its content.')
    .argument('<id>', 'its number in rejected list', parseId)
    .addOption(jsonOption())
    .addHelpText('after', '\nJSON has the payload as base64, byte for byte.')
    .action(async (id: string, { json }: { json?: true }) => {
      const found = await withDatabase(around.env, ({ kysely }) => findRejected(kysely, id));
      if (found === undefined) throw unknownMessage(id);
      const { payload, ...message } = found;
      if (json) return around.print(JSON.stringify({ ...message, payload: payload.toString('base64') }));
      around.print(`${head(message)}\n\n${payloadText(message.reason, payload)}`);
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
