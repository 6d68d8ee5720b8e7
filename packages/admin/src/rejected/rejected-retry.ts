import { createHash } from 'node:crypto';
import { type Retried, retryRejected } from '@visitor-counter/database/ingest/retry-rejected';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import {
  findRejected,
  lastRejected,
  listRejected,
} from '@visitor-counter/database/rejected/rejected-messages';
import { DeviceFull } from '@visitor-counter/database/rejected/store-rejected';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Command } from 'commander';
import { type CommandContext, OperatorError, withDatabase } from '../command/context.ts';
import { deviceOption, jsonOption, parseId } from '../command/options.ts';
import { plain } from '../command/text.ts';
import { readRejected } from './payload.ts';

const help = `
A message is read and stored as if it arrived now; each in a transaction of its own. What is stored, or was
stored before, is removed from the list; the rest remains on it with its reason. A conflict remains a conflict. Crossings that
exceeded a limit of their device are stored regardless of the limits, but only if you name the message or --device.

--as-new-journal counts crossings in conflict, each once, in addition to the stored ones: use it after you have checked
that two units had the same card. Other messages remain on the list.

JSON: {"retried":[{"id","serial","stored","duplicates","reasons":[why the rest is still rejected]}]}`;

interface Options {
  readonly all?: true;
  readonly asNewJournal?: true;
  readonly device?: string;
  readonly json?: true;
}

export function addRejectedRetry(rejected: Command, context: CommandContext): void {
  const command = rejected.command('retry');
  command
    .description('Retry a rejected message, or all of them.')
    .argument('[id]', 'its number in rejected list', parseId)
    .option('--all', 'all, or all of --device')
    .option(
      '--as-new-journal',
      "count crossings in conflict, as those of another unit; see the operators' guide",
    )
    .addOption(deviceOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (id: string | undefined, { all, asNewJournal, device, json }: Options) => {
      if ((id === undefined) !== (all === true) || (device !== undefined && !all)) {
        command.error('error: expected the number of a message, or --all, or --all --device <serial>');
      }
      if (asNewJournal && id === undefined && device === undefined) {
        command.error('error: --as-new-journal needs the number of a message, or --all --device <serial>');
      }
      const options = { asNewJournal: asNewJournal === true };
      const retried = await withDatabase(context.env, async (db, url) => {
        const connection = new StoringConnection(url, 'visitor-counter admin');
        try {
          return await (id === undefined
            ? retryAll(db, connection, device, options)
            : retryOne(db, connection, id, options));
        } finally {
          connection.close();
        }
      });
      context.print(json ? JSON.stringify({ retried }) : retriedText(retried));
    });
}

async function retryOne(
  db: Database,
  connection: StoringConnection,
  id: string,
  options: RetryOptions,
): Promise<RetriedMessage[]> {
  const retried = await retryMessage(db, connection, id, options);
  if (retried === undefined) throw unknownMessage(id);
  return [retried];
}

/** Messages read at a time. */
const page = 500;

/** Retries the messages that exist at the beginning, each once; messages that are rejected meanwhile are left out. */
async function retryAll(
  db: Database,
  connection: StoringConnection,
  serial: string | undefined,
  options: RetryOptions,
): Promise<RetriedMessage[]> {
  const last = await lastRejected(db.kysely);
  const retried: RetriedMessage[] = [];
  for (let after = '0'; ; ) {
    const listed = await listRejected(db.kysely, { after, ...(serial && { serial }) }, page);
    const due = listed.filter((one) => BigInt(one.id) <= last);
    for (const { id, reason } of due) {
      if (serial === undefined && reason.startsWith('limit:')) continue;
      const one = await retryMessage(db, connection, id, options);
      if (one) retried.push(one);
    }
    const next = listed.at(-1)?.id;
    if (next === undefined || BigInt(next) >= last) return retried;
    after = next;
  }
}

function retriedText(retried: readonly RetriedMessage[]): string {
  const sum = (count: (one: RetriedMessage) => number) =>
    retried.reduce((total, one) => total + count(one), 0);
  const left = retried.filter(({ reasons }) => reasons.length > 0);
  return [
    ...left.map(
      ({ id, serial, reasons }) => `${id} of ${serial} is still rejected: ${plain(reasons.join('; '))}`,
    ),
    `${sum(({ stored }) => stored)} crossings stored, ${sum(({ duplicates }) => duplicates)} were stored before; ` +
      `${retried.length - left.length} messages removed from the list, ${left.length} left`,
  ].join('\n');
}

/** The result of retrying a message, as `--json` prints it. */
export interface RetriedMessage extends Retried {
  readonly id: string;
  readonly serial: string;
}

export interface RetryOptions {
  /** Count crossings that conflict with stored ones, in a journal of their own. */
  readonly asNewJournal?: boolean;
}

/** Retries one message. Returns undefined for an unknown id; throws if the database is unavailable. */
export async function retryMessage(
  { kysely }: Database,
  connection: StoringConnection,
  id: string,
  options: RetryOptions = {},
): Promise<RetriedMessage | undefined> {
  const found = await findRejected(kysely, id);
  if (found === undefined) return undefined;
  const { serial } = found;
  if (options.asNewJournal && !found.reason.startsWith('conflict')) {
    return { id, serial, stored: 0, duplicates: 0, reasons: [found.reason] };
  }
  const read = readRejected(found, Date.now());
  if ('notRetried' in read) return { id, serial, stored: 0, duplicates: 0, reasons: [read.notRetried] };
  const message = options.asNewJournal ? asNewJournal(read.message) : read.message;
  try {
    return { id, serial, ...(await retryRejected(connection, id, message)) };
  } catch (error) {
    if (!(error instanceof Error) || !concernsOnlyMessage(error)) throw error;
    return { id, serial, stored: 0, duplicates: 0, reasons: [`database: ${error.message}`] };
  }
}

/** The error concerns this message only: its transaction was rolled back, and other messages may still be stored. */
function concernsOnlyMessage(error: Error): boolean {
  return storingErrorPolicy(error) === 'reject' || error instanceof DeviceFull;
}

export function unknownMessage(id: string): OperatorError {
  return new OperatorError('unknown-message', `there is no rejected message ${id}; rejected list shows all`);
}

/**
 * Assigns the crossings of a message to a new journal, for two units that wrote the same journal. The name of the new
 * journal is derived from the old one and sequences are unchanged, so the same crossing always has the same key and
 * counts once.
 */
export function asNewJournal(message: MessageToStore): MessageToStore {
  const { batch } = message;
  if (batch === undefined) return message;
  const name = createHash('sha256').update(batch.journal).digest('hex').slice(0, 24);
  return { ...message, batch: { ...batch, journal: `conflict-${name}` } };
}
