import { LRUCache } from 'lru-cache';

/** Units in memory. */
const limit = 100_000;

/**
 * The units that are online by their status at an external broker, registered as devices or not. The broker sends the
 * statuses of all units again whenever the gateway connects. So they are known independently of the database, which may
 * be restored, or in which a device may be registered only after its unit has connected.
 */
export class OnlineUnits {
  readonly #units = new LRUCache<string, true>({ max: limit });

  note(serial: string, isOnline: boolean): void {
    if (isOnline) this.#units.set(serial, true);
    else this.#units.delete(serial);
  }

  has(serial: string): boolean {
    return this.#units.has(serial);
  }

  serials(): Iterable<string> {
    return this.#units.keys();
  }
}
