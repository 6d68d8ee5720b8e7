import { DeviceStores } from '../devices/device-stores.ts';
import { JournalIds } from '../journals/journal-ids.ts';

/**
 * Caches for the transactions of one connection. A new connection begins with empty ones, since it may lead to
 * another database.
 */
export class StoringMemory {
  readonly journals = new JournalIds();
  readonly stores = new DeviceStores();
}
