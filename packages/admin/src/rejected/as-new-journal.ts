import { createHash } from 'node:crypto';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';

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
