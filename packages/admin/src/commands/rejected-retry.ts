import type { Database } from '@visitor-counter/database/connect';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { listRejected } from '@visitor-counter/database/operating/rejected-messages';
import type { Command } from 'commander';
import { type RetriedMessage, retryMessage, unknownMessage } from '../rejected/retry-message.ts';
import type { Surroundings } from '../surroundings.ts';
import { plain } from '../terminal/plain.ts';
import { withDatabase } from '../with-database.ts';
import { deviceOption, jsonOption, parseId } from './options.ts';

const help = `
A message is read and stored as if it arrived now; each in a transaction of its own. What is stored, or was
stored before, is taken off the list; the rest stays on it with its reason. A conflict stays a conflict. What exceeded a limit
of its device is stored whatever the limits are now, so --all leaves it where neither --device nor a number names it.

JSON: {"retried":[{"id","serial","stored","duplicates","reasons":[why the rest is still rejected]}]}`;

interface Options {
  readonly all?: true;
  readonly device?: string;
  readonly json?: true;
}

export function addRejectedRetry(rejected: Command, around: Surroundings): void {
  const command = rejected.command('retry');
  command
    .description('Try again to store a rejected message, or all of them.')
    .argument('[id]', 'its number in rejected list', parseId)
    .option('--all', 'all, or all of --device')
    .addOption(deviceOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (id: string | undefined, { all, device, json }: Options) => {
      if ((id === undefined) !== (all === true) || (device !== undefined && !all)) {
        command.error('error: give the number of a message, or --all, or --all --device <serial>');
      }
      const retried = await withDatabase(around.env, async (db, url) => {
        const connection = new StoringConnection(url, 'visitor-counter admin');
        try {
          return await (id === undefined ? retryAll(db, connection, device) : retryOne(db, connection, id));
        } finally {
          connection.close();
        }
      });
      around.print(json ? JSON.stringify({ retried }) : retriedText(retried));
    });
}

async function retryOne(db: Database, connection: StoringConnection, id: string): Promise<RetriedMessage[]> {
  const retried = await retryMessage(db, connection, id);
  if (retried === undefined) throw unknownMessage(id);
  return [retried];
}

/** Messages read at a time. */
const page = 500;

/** Those that there are at the beginning, each once: what is kept anew meanwhile is not tried for ever. */
async function retryAll(
  db: Database,
  connection: StoringConnection,
  serial: string | undefined,
): Promise<RetriedMessage[]> {
  const { rows } = await db.pool.query<{ last: string | null }>(
    'select max(id) as last from rejected_message',
  );
  const last = BigInt(rows[0]?.last ?? 0);
  const retried: RetriedMessage[] = [];
  for (let after = '0'; ; ) {
    const listed = await listRejected(db.kysely, { after, ...(serial && { serial }) }, page);
    const due = listed.filter((one) => BigInt(one.id) <= last);
    for (const { id, reason } of due) {
      if (serial === undefined && reason.startsWith('limit:')) continue;
      const one = await retryMessage(db, connection, id);
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
      `${retried.length - left.length} messages taken off the list, ${left.length} left`,
  ].join('\n');
}
