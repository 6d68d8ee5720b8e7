/** Detects a connection that neither acknowledges nor fails. */
export class Watchdog {
  readonly #within: number;
  readonly #onSilence: () => void;
  #expected = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onSilence` when an answer is expected and none arrives for `within` ms. */
  constructor(within: number, onSilence: () => void) {
    this.#within = within;
    this.#onSilence = onSilence;
  }

  expectAnswer(): void {
    this.#expected += 1;
    this.#timer ??= setTimeout(this.#onSilence, this.#within);
  }

  answered(): void {
    this.#expected -= 1;
    if (this.#expected > 0) this.#timer?.refresh();
    else this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
