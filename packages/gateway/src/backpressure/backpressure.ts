/** Open or closed for all clients; who finds it closed waits for it to open. */
export class Gate {
  #open = true;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#open;
  }

  /** Calls back once when the gate opens; the caller has seen it closed. */
  wait(opened: () => void): void {
    this.#waiting.add(opened);
  }

  /** For one who no longer waits. */
  leave(opened: () => void): void {
    this.#waiting.delete(opened);
  }

  set(open: boolean): void {
    if (open === this.#open) return;
    this.#open = open;
    if (!open) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const opened of waiting) opened();
  }
}
