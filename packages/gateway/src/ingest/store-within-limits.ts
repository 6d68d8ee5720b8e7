import type { JournalLimits } from '@visitor-counter/database/crossings/journal-ids';
import {
  type MessageToStore,
  type StoreOutcome,
  storeMessages,
} from '@visitor-counter/database/ingest/store-messages';
import type { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import {
  retryOnConflict,
  storingErrorPolicy,
  UnknownDevice,
} from '@visitor-counter/database/ingest/storing-error';
import type { CountLimits } from '@visitor-counter/database/ingest/usage/count-limits';
import { DeviceUsages } from '@visitor-counter/database/ingest/usage/device-usages';
import { areWithinLimits, withinLimits } from '@visitor-counter/database/ingest/usage/within-limits';
import { entryOf, rejectionOf } from '@visitor-counter/database/rejected/rejected-entries';
import { reasonOf } from '@visitor-counter/service/errors';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';

/**
 * The result of storing one message. Only `stored` is acknowledged; otherwise the connection is closed without PUBACK,
 * and the unit sends the message again.
 *
 * `full`: the device has as many rejected messages as it may have. `unstorable`: neither the message nor a rejected copy
 * of it can be stored. `late`: the database did not commit it in time. `overloaded`: there is no memory for it.
 */
export type IngestResult = StoreOutcome | 'unstorable' | 'late' | 'overloaded';

/** The most that is stored for one device. */
export type DeviceLimits = CountLimits & JournalLimits;

interface LimitedStoreOptions {
  readonly connection: StoringConnection;
  readonly device: DeviceLimits;
  readonly instruments: IngestInstruments;
}

/**
 * Stores the crossings that are within the limits of their devices, and keeps the others as rejected messages. One call
 * at a time. `store` rejects when the database is unavailable.
 */
export function limitedStore({ connection, device, instruments }: LimitedStoreOptions): {
  readonly store: (messages: readonly MessageToStore[]) => Promise<readonly IngestResult[]>;
  /** Writes the usage of devices counted since the last write. */
  readonly writeUsage: () => Promise<void>;
} {
  const usages = new DeviceUsages(device);
  const storeBatch = async (messages: readonly MessageToStore[]) => {
    const report = await connection.use((client, journals) =>
      storeMessages(client, journals, messages, device),
    );
    usages.add(report.inserted, Date.now());
    instruments.stored(report);
    return report.outcomes;
  };
  const limit = async (messages: readonly MessageToStore[]) => {
    const now = Date.now();
    if (areWithinLimits(messages, usages, now)) return messages;
    return connection.use((client) => withinLimits(client, messages, usages, now));
  };
  return {
    store: async (messages) => {
      try {
        return await storeIsolatingFailures(await limit(messages), storeBatch);
      } catch (error) {
        /* After an outage the database may be another one, or restored to an earlier state. */
        usages.clear();
        throw error;
      }
    },
    writeUsage: async () => {
      if (usages.isUnwritten) await connection.use((client) => usages.writeAll(client));
    },
  };
}

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
