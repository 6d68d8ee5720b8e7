import { type ExternalDevice, findExternalDevice } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { LRUCache } from 'lru-cache';

/** How long a result is cached (ms); a newly enrolled device is known after the second. */
const ttl = { known: 60_000, unknown: 10_000 };

/** Serial numbers in the cache. */
const limit = 50_000;

/** Finds devices by serial number, with a cache. */
export class KnownDevices {
  readonly #pool: Database['pool'];
  readonly #found = new LRUCache<string, Promise<ExternalDevice | undefined>>({
    max: limit,
    ttl: ttl.known,
  });

  constructor(pool: Database['pool']) {
    this.#pool = pool;
  }

  /** Undefined when there is no such device; rejects when the database is unavailable. */
  find(serial: string): Promise<ExternalDevice | undefined> {
    const found = this.#found.get(serial);
    if (found) return found;
    const device = findExternalDevice(this.#pool, serial);
    this.#found.set(serial, device);
    device.then(
      (known) => {
        if (!known) this.#found.set(serial, device, { ttl: ttl.unknown });
      },
      () => this.#found.delete(serial),
    );
    return device;
  }

  /** Evicts a device that the database no longer knows, because it may have been restored. */
  forget(serial: string): void {
    this.#found.delete(serial);
  }
}
