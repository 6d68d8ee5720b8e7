import type { Database } from '@visitor-counter/database/sql/connect';
import { type Sight, type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';

/** How long stores that were read are used (ms). */
const fresh = 1_000;

/**
 * The stores that callers see, read once for all callers with the same rights that arrive at about the same time: after
 * an outage a thousand pages reconnect at once.
 */
export class SharedStores {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #read = new Map<string, { readonly at: number; readonly stores: Promise<StoreFacts[]> }>();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** By sid. */
  of({ companyId, storeIds }: Sight): Promise<readonly StoreFacts[]> {
    const now = this.#now();
    for (const [key, { at }] of this.#read) if (now - at >= fresh) this.#read.delete(key);
    const key = `${companyId} ${storeIds}`;
    const known = this.#read.get(key);
    if (known) return known.stores;
    const stores = storeFacts(this.#database.kysely, { companyId, storeIds });
    this.#read.set(key, { at: now, stores });
    stores.catch(() => this.#read.delete(key));
    return stores;
  }
}
