import { ClientError } from './client-error.ts';

/**
 * Detects a silent client: one that neither begins nor ends a packet. The time restarts while nothing is read from it.
 */
export class KeepAlive {
  readonly #timeout: number;
  readonly #isReading: () => boolean;
  readonly #onTimeout: (error: ClientError) => void;
  #lastSeenAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** `seconds` is the keep-alive of the client's CONNECT; 0 disables it. */
  constructor(seconds: number, isReading: () => boolean, onTimeout: (error: ClientError) => void) {
    this.#timeout = seconds * 1_500;
    this.#isReading = isReading;
    this.#onTimeout = onTimeout;
    if (seconds > 0) this.#checkAfter(this.#timeout);
  }

  /** Called for every read, so it does not reset the timer. */
  seen(): void {
    this.#lastSeenAt = performance.now();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (!this.#isReading()) this.seen();
    const left = this.#lastSeenAt + this.#timeout - performance.now();
    if (left > 0) this.#checkAfter(left);
    else this.#onTimeout(new ClientError('keep-alive-timeout', 'keep alive timeout'));
  }

  #checkAfter(delay: number): void {
    this.#timer = setTimeout(() => this.#check(), Math.ceil(delay));
  }
}
