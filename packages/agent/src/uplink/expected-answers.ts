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

/** An answer that takes longer (ms) is not used: the time in it would be too inexact. */
const longest = 10_000;

/**
 * Measures the time until each answer. Answers must arrive in the order of their requests. After a lost answer, the
 * next one seems to have taken longer than it has, never shorter.
 */
export class RoundTrips {
  #sentAt: number[] = [];

  requestSent(): void {
    const now = performance.now();
    this.#sentAt = [...this.#sentAt.filter((sentAt) => now - sentAt <= longest), now];
  }

  /** The time that this answer took (ms); undefined if none was expected. */
  answerReceived(): number | undefined {
    const waited = performance.now() - (this.#sentAt.shift() ?? Number.NaN);
    return waited <= longest ? waited : undefined;
  }
}
