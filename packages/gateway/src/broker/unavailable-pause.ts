/** How long after a failure the database is not asked again (ms): shorter than any unit's pause. */
const restFor = 250;

/**
 * Remembers for a moment that the database is away. Thousands of units that come back while it is would each make
 * another connection to it, which is what a database that starts again can least use.
 */
export class AwayMemory {
  #until = Number.NEGATIVE_INFINITY;

  /** Whether it was away a moment ago (`now` in ms of a clock that only goes forward). */
  isAway(now: number): boolean {
    return now < this.#until;
  }

  failed(now: number): void {
    this.#until = now + restFor;
  }

  answered(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
