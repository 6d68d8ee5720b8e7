import { RememberedQuarters } from '../occupancy/remembered-quarters.ts';
import { DeviceStores } from './device-stores.ts';
import { HighestSequences } from './highest-sequences.ts';
import { JournalIds } from './journal-ids.ts';
import { Setbacks } from './setbacks.ts';

/**
 * What is remembered between the transactions that store over one connection. On a new connection, behind which may be
 * another database, nothing is.
 */
export class StoringMemory {
  readonly journals = new JournalIds();
  readonly stores = new DeviceStores();
  readonly highest = new HighestSequences();
  readonly quarters = new RememberedQuarters();
  readonly setbacks = new Setbacks();
}
