import {
  type MessageToStore,
  type StoreReport,
  storeMessages,
} from '@visitor-counter/database/ingest/store-messages';
import type { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { DeviceUsages } from '@visitor-counter/database/ingest/usage/device-usages';
import { areWithinLimits, withinLimits } from '@visitor-counter/database/ingest/usage/within-limits';
import type { DeviceLimits } from '@visitor-counter/database/journals/journal-ids';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import type { IngestResult } from './ingest-result.ts';
import { storeIsolatingFailures } from './isolate-failing-message.ts';

export interface LimitedStoreOptions {
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
  const keepAfter = (error: unknown) => storingErrorPolicy(error) !== 'later';
  const onCommitted = (report: StoreReport) => {
    usages.add(report.inserted, Date.now());
    instruments.stored(report);
  };
  const storeBatch = (messages: readonly MessageToStore[]) =>
    connection.use(
      (client, memory) => storeMessages(client, memory, messages, { onCommitted, limits: device }),
      keepAfter,
    );
  const limit = async (messages: readonly MessageToStore[]) => {
    const now = Date.now();
    if (areWithinLimits(messages, usages, now)) return messages;
    return connection.use((client) => withinLimits(client, messages, usages, now), keepAfter);
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
      if (usages.isUnwritten) await connection.use((client) => usages.writeAll(client), keepAfter);
    },
  };
}
