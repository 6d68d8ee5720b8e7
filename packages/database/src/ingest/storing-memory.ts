import type { RecentCrossings } from '../occupancy/recent-crossings.ts';
import { DeviceStores } from './device-stores.ts';
import { JournalIds } from './journal-ids.ts';

/** What is remembered between the transactions that store over one connection. */
export interface StoringMemory {
  readonly journals: JournalIds;
  readonly stores: DeviceStores;
  /** Shared by all connections of a process. */
  readonly recent: RecentCrossings;
}

/** What is known on a new connection: nothing. */
export function emptyMemory(recent: RecentCrossings): StoringMemory {
  recent.clear();
  return { journals: new JournalIds(), stores: new DeviceStores(), recent };
}
