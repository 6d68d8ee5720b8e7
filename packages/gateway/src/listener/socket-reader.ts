import type { Readable } from 'node:stream';
import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import type { Backpressure } from '../backpressure/backpressure.ts';
import type { ListenerLimits } from './connection-limits.ts';

/** Why reading from a client is paused, besides backpressure and its rate limit. */
type PauseReason =
  /** It has not logged in yet. */
  | 'login'
  /** The broker's buffer is full. */
  | 'broker'
  /** Too many of its messages are not acknowledged. */
  | 'unacknowledged'
  /** It does not read what is sent to it. */
  | 'unread'
  /** The gateway is stopping. */
  | 'stopping';

/** While unacknowledged messages take more memory than this, nothing is read from their client (bytes). */
const maxUnacknowledged = 64 * 1024;

/** The memory of a message in addition to its packet (bytes). */
const overhead = 256;

/**
 * Reads a client's socket only while there is no reason to pause, no backpressure, and the device is within its rate
 * limit. Unread bytes stay in the socket and, when that is full, with the client.
 */
export class SocketReader {
  readonly #socket: Readable;
  readonly #backpressure: Backpressure;
  readonly #reasons = new Set<PauseReason>();
  readonly #update = () => this.#updateAt(performance.now());
  #rate: DeviceRate | undefined;
  #rateTimer: NodeJS.Timeout | undefined;
  #unacknowledged = 0;
  #isReading = true;
  #isClosed = false;

  constructor(socket: Readable, backpressure: Backpressure) {
    this.#socket = socket;
    this.#backpressure = backpressure;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  limitRate(rate: DeviceRate): void {
    this.#rate = rate;
  }

  /** Counts what was read towards the rate limit, and pauses if it is exceeded. */
  spend(packets: number, bytes: number): void {
    const now = performance.now();
    this.#rate?.spend(packets, bytes, now);
    this.#updateAt(now);
  }

  pause(reason: PauseReason): void {
    this.#reasons.add(reason);
    this.#update();
  }

  resume(reason: PauseReason): void {
    /* Called for every message, nearly always without a reason to pause. */
    if (this.#reasons.size > 0 && this.#reasons.delete(reason)) this.#update();
  }

  /** A message of so many bytes was read. */
  addUnacknowledged(bytes: number): void {
    this.#unacknowledged += bytes + overhead;
    if (this.#unacknowledged > maxUnacknowledged) this.pause('unacknowledged');
  }

  /** The message was acknowledged or refused. */
  removeUnacknowledged(bytes: number): void {
    this.#unacknowledged -= bytes + overhead;
    if (this.#unacknowledged <= maxUnacknowledged) this.resume('unacknowledged');
  }

  close(): void {
    this.#isClosed = true;
    this.#backpressure.cancel(this.#update);
    clearTimeout(this.#rateTimer);
  }

  /** Pauses or resumes the socket. */
  #updateAt(now: number): void {
    if (this.#isClosed) return;
    const wait = this.#rate?.waitFor(now) ?? 0;
    const mayRead = this.#reasons.size === 0 && !this.#backpressure.isActive && wait === 0;
    if (mayRead !== this.#isReading) {
      this.#isReading = mayRead;
      if (mayRead) this.#socket.resume();
      else this.#socket.pause();
    }
    if (this.#backpressure.isActive) this.#backpressure.onceReleased(this.#update);
    if (wait > 0) this.#updateAfter(wait);
  }

  #updateAfter(wait: number): void {
    clearTimeout(this.#rateTimer);
    this.#rateTimer = setTimeout(this.#update, wait);
  }
}

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
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** `onExceeded` is called when the device has used up its bytes, and repeatedly while it continues to. */
  constructor({ bytesPerSecond, burstBytes }: MaxRate, onExceeded: () => void) {
    this.#bytes = new TokenBucket(burstBytes, bytesPerSecond, performance.now());
    this.#onExceeded = onExceeded;
  }

  spend(messages: number, bytes: number, now: number): void {
    this.#bytes.spend(bytes + overhead * messages, now);
    if (this.#bytes.waitFor(now) === 0 || now - this.#reportedAt < reportEvery) return;
    this.#reportedAt = now;
    this.#onExceeded();
  }

  /** Allows nothing for `duration` ms, also on the device's next connections. */
  pause(duration: number): void {
    this.#pausedUntil = performance.now() + duration;
  }

  /** How long nothing should be read from the device (ms). */
  waitFor(now: number): number {
    return Math.max(this.#bytes.waitFor(now), this.#pausedUntil - now, 0);
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
