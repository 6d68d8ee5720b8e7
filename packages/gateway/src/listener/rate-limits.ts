import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import type { ListenerLimits } from './connection-limits.ts';

/** The memory of a message in addition to its packet (bytes). */
export const packetOverhead = 256;

type MaxRate = Pick<ListenerLimits, 'bytesPerSecond' | 'burstBytes'>;

/** How often an excess is reported while it lasts (ms). */
const reportEvery = 60_000;

/**
 * The rate limit of one device, for all its connections. `now` is from `performance.now()`.
 *
 * The burst of bytes is more than any unit has after a month without a connection; after it, the device may send as much
 * as some hundred people a second need. So a unit delivers its pending crossings at full speed, and a stolen one cannot
 * fill the database.
 */
export class DeviceRate {
  readonly #bytes: TokenBucket;
  readonly #onExceeded: () => void;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** `onExceeded` is called when the device has used up its bytes, and repeatedly while it continues to. */
  constructor({ bytesPerSecond, burstBytes }: MaxRate, onExceeded: () => void) {
    this.#bytes = new TokenBucket(burstBytes, bytesPerSecond, performance.now());
    this.#onExceeded = onExceeded;
  }

  spend(messages: number, bytes: number, now: number): void {
    this.#bytes.spend(bytes + packetOverhead * messages, now);
    if (this.#bytes.waitFor(now) === 0 || now - this.#reportedAt < reportEvery) return;
    this.#reportedAt = now;
    this.#onExceeded();
  }

  /** How long nothing should be read from the device (ms). */
  waitFor(now: number): number {
    return this.#bytes.waitFor(now);
  }
}

interface LimitedDevice {
  readonly deviceId: number;
  readonly serial: string;
}

/** Devices whose rates are remembered after their connections; the least recent are evicted. */
const remembered = 20_000;

/** The rate limits of all devices. A device that connects again continues with the same limit. */
export class RateLimits {
  readonly #max: MaxRate;
  readonly #onExceeded: (device: LimitedDevice) => void;
  readonly #devices = new LRUCache<number, DeviceRate>({ max: remembered });

  /** `onExceeded`: a device sends more bytes than it may (`DeviceRate`). */
  constructor(max: MaxRate, onExceeded: (device: LimitedDevice) => void) {
    this.#max = max;
    this.#onExceeded = onExceeded;
  }

  of({ deviceId, serial }: LimitedDevice): DeviceRate {
    const exceeded = () => this.#onExceeded({ deviceId, serial });
    const rate = this.#devices.get(deviceId) ?? new DeviceRate(this.#max, exceeded);
    this.#devices.set(deviceId, rate);
    return rate;
  }
}
