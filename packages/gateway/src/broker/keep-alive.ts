/** A client was not heard of for one and a half times its keep-alive (MQTT 3.1.1, section 3.1.2.10). */
export class KeepAliveTimeout extends Error {
  override readonly name = 'KeepAliveTimeout';
  readonly code = 'keep-alive-timeout';
}

/**
 * Watches whether a client is heard of. While nothing is read from it, it cannot be heard of, and the time begins
 * anew.
 */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout | undefined;

  /** `seconds` is what the client said in its CONNECT; with 0 nothing is watched. */
  constructor(seconds: number, isReading: () => boolean, onTimeout: (error: KeepAliveTimeout) => void) {
    if (seconds === 0) return;
    const look = () => {
      if (isReading()) onTimeout(new KeepAliveTimeout('keep alive timeout'));
      else this.heard();
    };
    this.#timer = setTimeout(look, seconds * 1_500);
  }

  heard(): void {
    this.#timer?.refresh();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
