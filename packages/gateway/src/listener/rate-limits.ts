import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';

export interface MaxRate {
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** The rate limit of one device, for all its connections. */
export class DeviceRate {
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** After a pause a device may send a burst of two seconds. */
  constructor({ messagesPerSecond, bytesPerSecond }: MaxRate, now: number) {
    this.#messages = new TokenBucket(2 * messagesPerSecond, messagesPerSecond, now);
    this.#bytes = new TokenBucket(2 * bytesPerSecond, bytesPerSecond, now);
  }

  spend(messages: number, bytes: number, now: number): void {
    this.#messages.spend(messages, now);
    this.#bytes.spend(bytes, now);
  }

  /** Allows nothing for `duration` ms, also on the device's next connections. */
  pause(duration: number, now: number): void {
    this.#pausedUntil = now + duration;
  }

  /** How long nothing should be read from the device (ms). */
  waitFor(now: number): number {
    return Math.max(this.#messages.waitFor(now), this.#bytes.waitFor(now), this.#pausedUntil - now, 0);
  }
}

/** Devices whose rates are remembered after their connections; the least recent are evicted. */
const remembered = 20_000;

/** The rate limits of all devices. A device that connects again continues with the same limit. */
export class RateLimits {
  readonly #max: MaxRate;
  readonly #devices = new LRUCache<number, DeviceRate>({ max: remembered });

  constructor(max: MaxRate) {
    this.#max = max;
  }

  of(deviceId: number, now: number): DeviceRate {
    const rate = this.#devices.get(deviceId) ?? new DeviceRate(this.#max, now);
    this.#devices.set(deviceId, rate);
    return rate;
  }
}
