import { setTimeout as delay } from 'node:timers/promises';

export interface BatchedLookupOptions {
  /** The most keys in one lookup. */
  readonly most: number;
  /** The pause between the end of a lookup and the next one (ms). */
  readonly pause: number;
}

const defaults: BatchedLookupOptions = { most: 500, pause: 5 };

/**
 * Looks up keys from many addresses, many keys at a time, one lookup after the other. However many keys there
 * are, the database runs at most one statement of `most` keys at a time; and since it alternates between
 * addresses, key by key, a flood from one address delays the others by at most one lookup.
 */
export class BatchedLookup<Key, Found> {
  readonly #lookUp: LookUp<Key, Found>;
  readonly #options: BatchedLookupOptions;
  readonly #waiting = new Map<string, Waiting<Key, Found>[]>();
  #running = false;

  constructor(lookUp: LookUp<Key, Found>, options: Partial<BatchedLookupOptions> = {}) {
    this.#lookUp = lookUp;
    this.#options = { ...defaults, ...options };
  }

  /** The value of a key that came from an address, if any. Rejects when the lookup fails. */
  find(address: string, key: Key): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      const ofAddress = this.#waiting.get(address) ?? [];
      this.#waiting.set(address, ofAddress);
      ofAddress.push({ key, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      await this.#answer(this.#takeBatch());
      await delay(this.#options.pause);
    }
    this.#running = false;
  }

  async #answer(batch: readonly Waiting<Key, Found>[]): Promise<void> {
    try {
      const found = await this.#lookUp(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Takes keys from the addresses in rotation, until the batch is full or no key is left. */
  #takeBatch(): Waiting<Key, Found>[] {
    const batch: Waiting<Key, Found>[] = [];
    /* An address that has more keys goes to the end of the map, where the iteration reaches it again. */
    for (const [address, ofAddress] of this.#waiting) {
      if (batch.length >= this.#options.most) break;
      const next = ofAddress.shift();
      if (next) batch.push(next);
      this.#waiting.delete(address);
      if (ofAddress.length > 0) this.#waiting.set(address, ofAddress);
    }
    return batch;
  }
}

/** The found values, by key. */
export type LookUp<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;

interface Waiting<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}
