/** Functions that are called when something happens. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Returns the function that removes the listener. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  call(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves at the next call, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const remove = this.add(resolve);
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort);
    await promise;
    signal.removeEventListener('abort', onAbort);
    remove();
  }
}
