import { DeviceStores } from '../devices/device-stores.ts';
import { JournalIds } from '../journals/journal-ids.ts';

/**
 * What is remembered between the transactions that store over one connection. On a new connection, behind which may be
 * another database, nothing is.
 */
export class StoringMemory {
  readonly journals = new JournalIds();
  readonly stores = new DeviceStores();
}
