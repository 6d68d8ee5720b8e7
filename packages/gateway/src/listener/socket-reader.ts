import type { Readable } from 'node:stream';
import type { Backpressure } from '../backpressure/backpressure.ts';
import { type DeviceRate, packetOverhead } from './rate-limits.ts';

/** Why reading from a client is paused, besides backpressure and its rate limit. */
type PauseReason =
  /** It has not logged in yet. */
  | 'login'
  /** The broker's buffer is full. */
  | 'broker'
  /** Too many of its messages are not acknowledged. */
  | 'unacknowledged'
  /** The gateway is stopping. */
  | 'stopping';

/** While unacknowledged messages take more memory than this, nothing is read from their client (bytes). */
const maxUnacknowledged = 64 * 1024;

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
    this.#unacknowledged += bytes + packetOverhead;
    if (this.#unacknowledged > maxUnacknowledged) this.pause('unacknowledged');
  }

  /** The message was acknowledged or refused. */
  removeUnacknowledged(bytes: number): void {
    this.#unacknowledged -= bytes + packetOverhead;
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
