/** Detects a connection that leaves a message without an answer, also if it answers others. */
export class Watchdog {
  readonly #within: number;
  readonly #onSilence: () => void;
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Calls `onSilence` when an expected answer has not arrived for `within` ms. */
  constructor(within: number, onSilence: () => void) {
    this.#within = within;
    this.#onSilence = onSilence;
  }

  /** Returns the function to call when the answer has arrived. */
  expectAnswer(): () => void {
    const timer = setTimeout(this.#onSilence, this.#within);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
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
