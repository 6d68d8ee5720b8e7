/** Stops reading from all clients while the gateway has too much in memory. */
export class Backpressure {
  #isActive = false;
  readonly #waiting = new Set<() => void>();

  /** True while nothing should be read from any client. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Calls back once when reading may continue; the caller has seen it active. */
  onceReleased(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** Cancels a callback. */
  cancel(callback: () => void): void {
    this.#waiting.delete(callback);
  }

  set(isActive: boolean): void {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (isActive) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of waiting) callback();
  }
}

/** What the broker needs for a message in addition to its payload (bytes). */
export const messageOverhead = 1_024;
