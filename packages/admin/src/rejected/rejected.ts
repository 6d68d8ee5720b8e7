import {
  discardRejected,
  findRejected,
  listRejected,
  type RejectedMessage,
} from '@visitor-counter/database/rejected/rejected-messages';
import { Refused } from '@visitor-counter/service/errors';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, group, textOption } from '../command/command.ts';
import { withChanges, withDatabase } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { device, limit } from '../command/options.ts';
import { instantText, inUtc, onOneLine, tableOf } from '../command/text.ts';
import { payloadText } from './payload.ts';
import { messageId, optionalId, retryCommand, unknownMessage, wrongUsage } from './rejected-retry.ts';

const reason = textOption('<text>', 'the beginning of the reason, such as conflict');

const listCommand = command({
  name: 'list',
  description: 'List rejected messages, oldest first: device, time, reason.',
  options: { device, reason, limit: limit(10_000) },
  help: '\nJSON: {"rejected":[…]}',
  run: async (context, { device: serial, reason, limit: most }) => {
    const rejected = await withDatabase(context, async ({ kysely }) => {
      if (serial !== undefined) await findDevice(kysely, serial);
      return listRejected(kysely, { serial, reason }, most);
    });
    const json = rejected.map(jsonOf);
    return { json: { rejected: json }, text: tableOf(json) };
  },
});

function jsonOf(message: RejectedMessage): object {
  return { ...inUtc(message), id: String(message.id) };
}

const showCommand = command({
  name: 'show',
  description: 'Show a rejected message and its content.',
  argument: { name: '<id>', description: 'its number in rejected list', kind: messageId },
  help: '\nJSON has the payload as base64, byte for byte.',
  run: async (context, _options, id) => {
    const found = await withDatabase(context, ({ kysely }) => findRejected(kysely, id));
    if (found === undefined) throw unknownMessage(id);
    const { payload, ...message } = found;
    return {
      json: { ...jsonOf(message), payload: payload.toString('base64') },
      text: `${head(message)}\n\n${payloadText(message.reason, payload)}`,
    };
  },
});

function head({ id, serial, company, receivedAt, topic, reason }: RejectedMessage): string {
  const lines = {
    message: id,
    device: `${serial} of ${company}`,
    received: instantText(receivedAt),
    topic,
    reason,
  };
  return Object.entries(lines)
    .map(([name, value]) => name.padEnd(10) + onOneLine(String(value)))
    .join('\n');
}

const discardCommand = command({
  name: 'discard',
  description: 'Discard a rejected message, or those of a device, permanently.',
  argument: optionalId,
  options: {
    device,
    reason,
    count: {
      value: '<n>',
      description: 'the number of messages of --device',
      kind: wholeNumber(1, 999_999_999),
    },
  },
  help: `
Discarded messages are deleted: their crossings are never counted. rejected list shows them, rejected show
--json prints a message byte for byte. With --device, all messages of the device (with --reason, those of that reason) are discarded
if there are exactly --count of them; otherwise none is.

When 10,000 messages of a device are stored as rejected, further ones are not acknowledged. Its unit continues
automatically when there is room again.

JSON: {"discarded":<how many>}`,
  run: async (context, { device: serial, reason, count }, id) => {
    const isOne = id !== undefined && serial === undefined && reason === undefined && count === undefined;
    if (!isOne && (id !== undefined || serial === undefined || count === undefined))
      throw wrongUsage(id, 'the number of a message, or --device <serial> --count <n> [--reason <text>]');
    const expected = count ?? 1;
    const found = await withChanges(context, async ({ kysely }, author) => {
      if (serial !== undefined) await findDevice(kysely, serial);
      return discardRejected(kysely, { id, serial, reason }, expected, author);
    });
    if (id !== undefined && found === 0) throw unknownMessage(id);
    if (found !== expected)
      throw new Refused(
        `nothing was discarded: --count is ${count}, and there are ${found} such messages of ${serial}`,
      );
    return { json: { discarded: found }, text: `${found} discarded` };
  },
});

export const rejectedCommands = group(
  'rejected',
  'List messages of units that could not be stored; retry or discard them.',
  [listCommand, showCommand, retryCommand, discardCommand],
);
