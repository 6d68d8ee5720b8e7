import type { StoreOutcome } from '@visitor-counter/database/ingest/store-messages';

/**
 * The result of storing one message. Only `stored` is acknowledged; otherwise the connection is closed without PUBACK,
 * and the unit sends the message again.
 *
 * `full`: the device has as many rejected messages as it may have. `unstorable`: neither the message nor a rejected copy
 * of it can be stored. `late`: the database did not commit it in time. `overloaded`: there is no memory for it.
 */
export type IngestResult = StoreOutcome | 'unstorable' | 'late' | 'overloaded';
