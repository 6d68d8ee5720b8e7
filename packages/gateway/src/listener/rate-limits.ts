import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';

export interface PaceLimits {
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** How fast one device may go on, over all its connections. */
export class Pace {
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** A device that was quiet may send what it may send in two seconds at once. */
  constructor({ messagesPerSecond, bytesPerSecond }: PaceLimits, now: number) {
    this.#messages = new TokenBucket(2 * messagesPerSecond, messagesPerSecond, now);
    this.#bytes = new TokenBucket(2 * bytesPerSecond, bytesPerSecond, now);
  }

  spend(messages: number, bytes: number, now: number): void {
    this.#messages.spend(messages, now);
    this.#bytes.spend(bytes, now);
  }

  /** Nothing more should be read for `duration` ms, also not from the device's next connections. */
  pause(duration: number, now: number): void {
    this.#pausedUntil = now + duration;
  }

  /** How long nothing more should be read (ms). */
  owes(now: number): number {
    return Math.max(this.#messages.owes(now), this.#bytes.owes(now), this.#pausedUntil - now, 0);
  }
}

/** How many devices' paces are remembered beyond their connections; the least recent are forgotten. */
const remembered = 20_000;

/** The pace of each device: one that connects again goes on at the pace at which it left. */
export class Paces {
  readonly #limits: PaceLimits;
  readonly #paces = new LRUCache<number, Pace>({ max: remembered });

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  of(deviceId: number, now: number): Pace {
    const pace = this.#paces.get(deviceId) ?? new Pace(this.#limits, now);
    this.#paces.set(deviceId, pace);
    return pace;
  }
}
