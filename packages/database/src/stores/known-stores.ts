import { LRUCache } from 'lru-cache';
import type { Reader } from '../sql/snapshot.ts';
import type { Sight } from './store-facts.ts';
import type { Store } from './stores.ts';

interface KnownList {
  readonly version: string;
  readonly stores: readonly Store[];
}

/** How many stores are remembered; a list counts as one more. 200 bytes each. */
const remembered = 50_000;

/**
 * The lists of stores that a process remembers, by what is seen. A list is true as long as the version of the stores
 * is the one that it was read at, which every reader checks.
 */
export class KnownStores {
  readonly #lists = new LRUCache<string, KnownList>({
    maxSize: remembered,
    sizeCalculation: ({ stores }) => stores.length + 1,
  });

  /** What `read` gives, or gave when the stores were the same; in a snapshot, so that the version is that of the list. */
  async list(
    db: Reader,
    { companyId, storeIds }: Sight,
    read: () => Promise<readonly Store[]>,
  ): Promise<readonly Store[]> {
    const { version } = await db.selectFrom('store_version').select('version').executeTakeFirstOrThrow();
    const key = `${companyId} ${storeIds === null ? 'all' : storeIds.join()}`;
    const known = this.#lists.get(key);
    if (known?.version === version) return known.stores;
    const stores = await read();
    this.#lists.set(key, { version, stores });
    return stores;
  }
}
