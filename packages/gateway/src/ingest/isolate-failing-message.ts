import type { MessageToStore, StoreOutcome } from '@visitor-counter/database/ingest/store-messages';
import { storingErrorPolicy, UnknownDevice } from '@visitor-counter/database/ingest/storing-connection';
import { entryOf, rejectionOf } from '@visitor-counter/database/rejected/store-rejected';
import { retryOnConflict } from '@visitor-counter/database/sql/unavailable';
import { reasonOf } from '@visitor-counter/service/errors';

/**
 * The result of storing one message. Only `stored` is acknowledged; otherwise the connection is closed without PUBACK,
 * and the unit sends the message again.
 *
 * `full`: the device has as many rejected messages as it may have. `unstorable`: neither the message nor a rejected copy
 * of it can be stored. `late`: the database did not commit it in time. `overloaded`: there is no memory for it.
 */
export type IngestResult = StoreOutcome | 'unstorable' | 'late' | 'overloaded';

/** Stores messages in one transaction. */
export type StoreBatch = (messages: readonly MessageToStore[]) => Promise<readonly StoreOutcome[]>;

/**
 * Stores messages so that one that the database refuses does not block the others: the batch is halved until that
 * message is alone, and its crossings are kept as a rejected message instead.
 *
 * Rejects when the database is unavailable. Some of the messages are stored then; storing them again has no effect.
 */
export async function storeIsolatingFailures(
  messages: readonly MessageToStore[],
  store: StoreBatch,
): Promise<readonly IngestResult[]> {
  try {
    return await retryOnConflict(() => store(messages));
  } catch (error) {
    if (storingErrorPolicy(error) !== 'reject') throw error;
    const [first, ...others] = messages;
    if (first === undefined) return [];
    if (others.length === 0) return [await storeAsRejected(first, error, store)];
    const middle = Math.ceil(messages.length / 2);
    const left = await storeIsolatingFailures(messages.slice(0, middle), store);
    const right = await storeIsolatingFailures(messages.slice(middle), store);
    return [...left, ...right];
  }
}

async function storeAsRejected(
  message: MessageToStore,
  cause: unknown,
  store: StoreBatch,
): Promise<IngestResult> {
  const { deviceId, topic, batch, rejections } = message;
  /* Not acknowledged: the unit connects again, and its login finds out whether it is still a device. */
  if (batch === undefined || cause instanceof UnknownDevice) return 'unstorable';
  const reason = `database: ${reasonOf(cause)}`.slice(0, 500);
  const rejection = rejectionOf(reason, batch.journal, batch.crossings.map(entryOf));
  try {
    const [result = 'unstorable'] = await retryOnConflict(() =>
      store([{ deviceId, topic, rejections: [...rejections, rejection] }]),
    );
    return result;
  } catch (error) {
    if (storingErrorPolicy(error) !== 'reject') throw error;
    return 'unstorable';
  }
}
