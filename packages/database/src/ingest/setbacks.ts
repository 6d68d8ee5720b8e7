/** As many transactions are stored the longer way at most. */
const longest = 64;

/**
 * When to try again what fails where others write the same: at once after it went well, and after each failure in a
 * row twice as many transactions later.
 */
export class Setbacks {
  #inARow = 0;
  #wait = 0;

  /** To be asked once for each transaction. */
  mayTry(): boolean {
    if (this.#wait === 0) return true;
    this.#wait -= 1;
    return false;
  }

  wentWell(): void {
    this.#inARow = 0;
  }

  failed(): void {
    this.#wait = Math.min(2 ** this.#inARow, longest);
    this.#inARow += 1;
  }
}
