/** Notices a connection that neither acknowledges nor fails. */
export class Watchdog {
  readonly #within: number;
  readonly #onSilence: () => void;
  #owed = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onSilence` once `within` ms pass in which something is owed and nothing is paid. */
  constructor(within: number, onSilence: () => void) {
    this.#within = within;
    this.#onSilence = onSilence;
  }

  owed(): void {
    this.#owed += 1;
    this.#timer ??= setTimeout(this.#onSilence, this.#within);
  }

  paid(): void {
    this.#owed -= 1;
    if (this.#owed > 0) this.#timer?.refresh();
    else this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
