import { createHash } from 'node:crypto';
import type { Author } from '@visitor-counter/database/audit/audit-log';
import { type Retried, retryRejected } from '@visitor-counter/database/ingest/retry-rejected';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-connection';
import { findRejected, rejectedToRetry } from '@visitor-counter/database/rejected/rejected-messages';
import { DeviceFull } from '@visitor-counter/database/rejected/store-rejected';
import type { Database } from '@visitor-counter/database/sql/connect';
import { Refused, reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { type ArgumentSpec, command, flag } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { device } from '../command/options.ts';
import { onOneLine } from '../command/text.ts';
import { readRejected } from './payload.ts';

export const messageId = wholeNumber(0, 999_999_999_999_999);

export const optionalId: ArgumentSpec<number | undefined> = {
  name: '[id]',
  description: 'its number in rejected list',
  kind: messageId,
};

export const retryCommand = command({
  name: 'retry',
  description: 'Retry a rejected message, or all of them.',
  argument: optionalId,
  options: {
    all: flag('all, or all of --device'),
    asNewJournal: flag("count crossings in conflict, as those of another unit; see the operators' guide"),
    device,
  },
  help: `
A message is read and stored as if it arrived now, each in its own transaction. Crossings that are stored, or were
stored before, are removed from the list; the rest remains on it with its reason. A conflict remains a conflict. Messages that
were rejected because of a limit are retried only if you name the message or --device.

--as-new-journal counts crossings in conflict, each once, in addition to the stored ones: use it after you have checked
that two units had the same card. Other messages remain on the list.

JSON: {"retried":[{"id","serial","stored","duplicates","reasons":[why the rest is still rejected]}]}`,
  run: async (context, { all = false, asNewJournal = false, device }, id) => {
    if ((id === undefined) !== all || (device !== undefined && !all))
      throw wrongUsage(id, 'the number of a message, or --all, or --all --device <serial>');
    if (asNewJournal && id === undefined && device === undefined)
      throw wrongUsage(id, 'the number of a message, or --all --device <serial>, with --as-new-journal');
    const retried: RetriedMessage[] = [];
    await withChanges(context, async (db, author) => {
      if (device !== undefined) await findDevice(db.kysely, device);
      const ids = id === undefined ? await rejectedToRetry(db.kysely, device) : [id];
      for (const one of ids) {
        const result = await retryMessage(db, author, one, asNewJournal);
        if (result !== undefined) retried.push(result);
      }
    });
    if (id !== undefined && retried.length === 0) throw unknownMessage(id);
    return { json: { retried }, text: retriedText(retried) };
  },
});

export function wrongUsage(id: number | undefined, expected: string): ConfigurationError {
  return new ConfigurationError('<id>', id?.toString(), `either ${expected}`);
}

function retriedText(retried: readonly RetriedMessage[]): string {
  const sum = (name: 'stored' | 'duplicates') => retried.reduce((total, one) => total + one[name], 0);
  const left = retried.filter(({ reasons }) => reasons.length > 0);
  const lines = left.map(
    ({ id, serial, reasons }) => `${id} of ${serial} is still rejected: ${onOneLine(reasons.join('; '))}`,
  );
  const crossings = `${sum('stored')} crossings stored, ${sum('duplicates')} were stored before`;
  const messages = `${retried.length - left.length} messages removed from the list, ${left.length} left`;
  return [...lines, `${crossings}; ${messages}`].join('\n');
}

/** The result of retrying a message, as `--json` prints it. */
interface RetriedMessage extends Retried {
  readonly id: string;
  readonly serial: string;
}

/**
 * Retries one message; `withNewJournal` counts crossings that conflict with stored ones, in a journal of their own.
 * Returns undefined for an unknown id; throws if the database is unavailable.
 */
async function retryMessage(
  { kysely }: Database,
  author: Author,
  given: number,
  withNewJournal: boolean,
): Promise<RetriedMessage | undefined> {
  const found = await findRejected(kysely, given);
  if (found === undefined) return undefined;
  const { serial, company } = found;
  const id = String(given);
  const retry = async (): Promise<Retried> => {
    if (withNewJournal && !found.reason.startsWith('conflict')) return notStored(found.reason);
    const read = readRejected(found, Date.now());
    if ('notRetried' in read) return notStored(read.notRetried);
    const message = withNewJournal ? asNewJournal(read.message) : read.message;
    const order = { id: given, serial, company, message, asNewJournal: withNewJournal };
    return retryRejected(kysely, order, author).catch((error) => {
      /* If it concerns this message only, its transaction was rolled back, and others may still be stored. */
      if (!(error instanceof DeviceFull) && storingErrorPolicy(error) !== 'reject') throw error;
      return notStored(`database: ${reasonOf(error)}`);
    });
  };
  return { id, serial, ...(await retry()) };
}

function notStored(reason: string): Retried {
  return { stored: 0, duplicates: 0, reasons: [reason] };
}

export function unknownMessage(id: number): Refused {
  return new Refused(`there is no rejected message ${id}; rejected list shows all`);
}

/**
 * Assigns the crossings of a message to a new journal, for two units that wrote the same journal. The name of the new
 * journal is derived from the old one and sequences are unchanged, so the same crossing always has the same key and
 * counts once.
 */
function asNewJournal(message: MessageToStore): MessageToStore {
  const { batch } = message;
  if (batch === undefined) return message;
  const name = createHash('sha256').update(batch.journal).digest('hex').slice(0, 24);
  return { ...message, batch: { ...batch, journal: `conflict-${name}` } };
}
