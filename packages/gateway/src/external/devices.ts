import type { Database } from '@visitor-counter/database/connect';
import {
  type DeviceBehindBroker,
  findDeviceBehindBroker,
} from '@visitor-counter/database/ingest/device-behind-broker';

/** How long what was found is believed (ms); a device that is enrolled is known after the second. */
const believed = { known: 60_000, unknown: 10_000 };

/** The most that are remembered. */
const limit = 50_000;

interface Found {
  readonly device: Promise<DeviceBehindBroker | undefined>;
  readonly until: number;
}

/** Finds the devices to serial numbers, and remembers them for a while. */
export class Devices {
  readonly #pool: Database['pool'];
  readonly #found = new Map<string, Found>();

  constructor(pool: Database['pool']) {
    this.#pool = pool;
  }

  /** Undefined when there is no such device; rejects when the database is away. */
  find(serial: string): Promise<DeviceBehindBroker | undefined> {
    const found = this.#found.get(serial);
    if (found && found.until > Date.now()) return found.device;
    const device = findDeviceBehindBroker(this.#pool, serial);
    this.#remember(serial, { device, until: Date.now() + believed.known });
    device.then(
      (known) => {
        if (!known) this.#remember(serial, { device, until: Date.now() + believed.unknown });
      },
      () => this.#found.delete(serial),
    );
    return device;
  }

  #remember(serial: string, found: Found): void {
    this.#found.delete(serial);
    this.#found.set(serial, found);
    const [oldest] = this.#found.keys();
    if (this.#found.size > limit && oldest !== undefined) this.#found.delete(oldest);
  }
}
