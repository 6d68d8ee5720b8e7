/** A client was not heard of for one and a half times its keep-alive (MQTT 3.1.1, section 3.1.2.10). */
export class KeepAliveTimeout extends Error {
  override readonly name = 'KeepAliveTimeout';
  readonly code = 'keep-alive-timeout';
}

/**
 * Watches whether a client is heard of: whether it begins or ends a packet. While nothing is read from it, it cannot be
 * heard of, and the time begins anew.
 */
export class KeepAlive {
  readonly #patience: number;
  readonly #isReading: () => boolean;
  readonly #onTimeout: (error: KeepAliveTimeout) => void;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** `seconds` is what the client said in its CONNECT; with 0 nothing is watched. */
  constructor(seconds: number, isReading: () => boolean, onTimeout: (error: KeepAliveTimeout) => void) {
    this.#patience = seconds * 1_500;
    this.#isReading = isReading;
    this.#onTimeout = onTimeout;
    if (seconds > 0) this.#lookAfter(this.#patience);
  }

  /** Only noted: no timer is set anew for a read. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (!this.#isReading()) this.heard();
    const left = this.#heardAt + this.#patience - performance.now();
    if (left > 0) this.#lookAfter(left);
    else this.#onTimeout(new KeepAliveTimeout('keep alive timeout'));
  }

  #lookAfter(delay: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.ceil(delay));
  }
}
