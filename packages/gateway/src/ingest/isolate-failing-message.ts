import { againAtOnce } from '@visitor-counter/database/ingest/again-at-once';
import type { MessageToStore, StoreOutcome } from '@visitor-counter/database/ingest/store-messages';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { UnknownDevice } from '@visitor-counter/database/ingest/unknown-device';
import { entryOf, rejectionOf } from '@visitor-counter/database/rejected/rejected-entries';
import type { Outcome } from './ingest-result.ts';

/** Stores messages in one transaction. */
export type StoreBatch = (messages: readonly MessageToStore[]) => Promise<readonly StoreOutcome[]>;

/**
 * Stores messages so that one that the database refuses does not hold up the others: the batch is halved
 * until that one is alone, and what it brought is kept among the rejected messages instead.
 *
 * Throws when the database is away. Some of the messages are stored then; storing them again is harmless.
 */
export async function storeAroundPoison(
  messages: readonly MessageToStore[],
  store: StoreBatch,
): Promise<readonly Outcome[]> {
  try {
    return await againAtOnce(() => store(messages));
  } catch (error) {
    if (storingErrorPolicy(error) !== 'poison') throw error;
    const [first, ...others] = messages;
    if (first === undefined) return [];
    if (others.length === 0) return [await keepPoisoned(first, error, store)];
    const middle = Math.ceil(messages.length / 2);
    const left = await storeAroundPoison(messages.slice(0, middle), store);
    const right = await storeAroundPoison(messages.slice(middle), store);
    return [...left, ...right];
  }
}

async function keepPoisoned(message: MessageToStore, cause: unknown, store: StoreBatch): Promise<Outcome> {
  const { deviceId, topic, batch, rejections } = message;
  /* Not acknowledged: the unit connects again and is found by its serial number, if it is still a device. */
  if (batch === undefined || cause instanceof UnknownDevice) return 'unstorable';
  const reason = `database: ${cause instanceof Error ? cause.message : String(cause)}`.slice(0, 500);
  const rejection = rejectionOf(reason, batch.journal, batch.crossings.map(entryOf));
  try {
    const [outcome = 'unstorable'] = await againAtOnce(() =>
      store([{ deviceId, topic, rejections: [...rejections, rejection] }]),
    );
    return outcome;
  } catch (error) {
    if (storingErrorPolicy(error) !== 'poison') throw error;
    return 'unstorable';
  }
}
