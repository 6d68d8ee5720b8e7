import {
  type DeviceBehindBroker,
  findDeviceBehindBroker,
} from '@visitor-counter/database/devices/device-of-external-broker';
import type { Database } from '@visitor-counter/database/sql/connect';
import { LRUCache } from 'lru-cache';

/** How long what was found is believed (ms); a device that is enrolled is known after the second. */
const believed = { known: 60_000, unknown: 10_000 };

/** The most that are remembered. */
const limit = 50_000;

/** Finds the devices to serial numbers, and remembers them for a while. */
export class Devices {
  readonly #pool: Database['pool'];
  readonly #found = new LRUCache<string, Promise<DeviceBehindBroker | undefined>>({
    max: limit,
    ttl: believed.known,
  });

  constructor(pool: Database['pool']) {
    this.#pool = pool;
  }

  /** Undefined when there is no such device; rejects when the database is away. */
  find(serial: string): Promise<DeviceBehindBroker | undefined> {
    const found = this.#found.get(serial);
    if (found) return found;
    const device = findDeviceBehindBroker(this.#pool, serial);
    this.#found.set(serial, device);
    device.then(
      (known) => {
        if (!known) this.#found.set(serial, device, { ttl: believed.unknown });
      },
      () => this.#found.delete(serial),
    );
    return device;
  }

  /** For when the database does not know what was found: it may have been restored. */
  forget(serial: string): void {
    this.#found.delete(serial);
  }
}
