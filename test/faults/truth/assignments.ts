/** The stores of a device and since when. */
export class Assignments {
  #moves: { readonly since: number; readonly store: string }[];

  constructor(store: string) {
    this.#moves = [{ since: Number.NEGATIVE_INFINITY, store }];
  }

  /** The store at an instant (epoch ms). */
  storeAt(at: number): string {
    return this.#moves.findLast(({ since }) => since <= at)?.store ?? '';
  }

  /** Saves the current assignments; the returned function restores them, like a restored database. */
  remember(): () => void {
    const moves = this.#moves;
    return () => {
      this.#moves = moves;
    };
  }

  /** From `since` (epoch ms) on, until the next move after it, it belongs to `store`. */
  move(since: number, store: string): void {
    if (this.storeAt(since) === store) return;
    this.#moves = [...this.#moves.filter((move) => move.since !== since), { since, store }].sort(
      (a, b) => a.since - b.since,
    );
  }
}
