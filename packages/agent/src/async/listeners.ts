/** Who wants to be called when something happens. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Returns what ends the calls. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  call(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
