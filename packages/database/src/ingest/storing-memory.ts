import { DeviceStores } from './device-stores.ts';
import { JournalIds } from './journal-ids.ts';

/** What one connection remembers between the transactions that store. */
export interface StoringMemory {
  readonly journals: JournalIds;
  readonly stores: DeviceStores;
}

export function emptyMemory(): StoringMemory {
  return { journals: new JournalIds(), stores: new DeviceStores() };
}
