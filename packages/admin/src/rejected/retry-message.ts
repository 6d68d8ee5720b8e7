import { createHash } from 'node:crypto';
import { type Retried, retryRejected } from '@visitor-counter/database/ingest/retry-rejected';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { findRejected } from '@visitor-counter/database/rejected/rejected-messages';
import { DeviceFull } from '@visitor-counter/database/rejected/store-rejected';
import type { Database } from '@visitor-counter/database/sql/connect';
import { OperatorError } from '../command/operator-error.ts';
import { readRejected } from './read-rejected.ts';

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
