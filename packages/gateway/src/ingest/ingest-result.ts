import type { StoreOutcome } from '@visitor-counter/database/ingest/store-messages';

/**
 * What became of a message. Only `stored` is acknowledged; after any other the socket is let go without
 * PUBACK, and the unit sends again.
 *
 * `unstorable`: neither it nor the rejected copy of it can be stored.
 * `late`: the database did not commit it in time.
 * `overloaded`: there is no room for it in memory.
 */
export type Outcome = StoreOutcome | 'unstorable' | 'late' | 'overloaded';
