import { createHash } from 'node:crypto';
import { type Retried, retryRejected } from '@visitor-counter/database/ingest/retry-rejected';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { findRejected } from '@visitor-counter/database/rejected/rejected-messages';
import { DeviceFull } from '@visitor-counter/database/rejected/replace-rejected';
import type { Database } from '@visitor-counter/database/sql/connect';
import { OperatorError } from '../context/operator-error.ts';
import { readRejected } from './read-rejected.ts';

/** What became of a message, as `--json` prints it. */
export interface RetriedMessage extends Retried {
  readonly id: string;
  readonly serial: string;
}

export interface RetryOptions {
  /** Count crossings that conflict with stored ones, in a journal of their own. */
  readonly asNewJournal?: boolean;
}

/** Tries one message again. Undefined when there is none of this id; throws when the database is away. */
export async function retryMessage(
  { kysely }: Database,
  connection: StoringConnection,
  id: string,
  options: RetryOptions = {},
): Promise<RetriedMessage | undefined> {
  const kept = await findRejected(kysely, id);
  if (kept === undefined) return undefined;
  const { serial } = kept;
  if (options.asNewJournal && !kept.reason.startsWith('conflict')) {
    return { id, serial, stored: 0, duplicates: 0, reasons: [kept.reason] };
  }
  const read = readRejected(kept, Date.now());
  if ('unfit' in read) return { id, serial, stored: 0, duplicates: 0, reasons: [read.unfit] };
  const message = options.asNewJournal ? asNewJournal(read.message) : read.message;
  try {
    return { id, serial, ...(await retryRejected(connection, id, message)) };
  } catch (error) {
    if (!(error instanceof Error) || !isOfMessage(error)) throw error;
    return { id, serial, stored: 0, duplicates: 0, reasons: [`database: ${error.message}`] };
  }
}

/** Nothing has changed, and other messages may fare better. */
function isOfMessage(error: Error): boolean {
  return storingErrorPolicy(error) === 'poison' || error instanceof DeviceFull;
}

export function unknownMessage(id: string): OperatorError {
  return new OperatorError('unknown-message', `there is no rejected message ${id}; rejected list shows all`);
}

/**
 * A message whose crossings are those of another unit that wrote a journal of the same name: they keep their sequences
 * in a journal that is named after that one. The same crossings have the same keys however often and in whatever
 * messages they arrive, so each counts once.
 */
export function asNewJournal(message: MessageToStore): MessageToStore {
  const { batch } = message;
  if (batch === undefined) return message;
  const name = createHash('sha256').update(batch.journal).digest('hex').slice(0, 24);
  return { ...message, batch: { ...batch, journal: `conflict-${name}` } };
}
