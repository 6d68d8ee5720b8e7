/** A connection that ends sooner after the broker has accepted it is a short one (ms). */
const soon = 5_000;

/** So many of them in a row are no accident. */
const several = 3;

/**
 * Tells a broker that accepts a connection and closes it soon after, again and again, from one that is away. Brokers
 * do that where two clients have the same client id: each throws out the other.
 */
export class ShortConnections {
  #inARow = 0;
  #acceptedAt: number | undefined;

  accepted(now: number): void {
    this.#acceptedAt = now;
  }

  /** The connection is over, or was never accepted; `closed` where it was not this side that ended it. */
  over(now: number, closed: boolean): void {
    const isShort = closed && this.#acceptedAt !== undefined && now - this.#acceptedAt < soon;
    this.#inARow = isShort ? this.#inARow + 1 : 0;
    this.#acceptedAt = undefined;
  }

  /** Several were short in a row, and none has lasted since. */
  areSeveral(now: number): boolean {
    const lasts = this.#acceptedAt !== undefined && now - this.#acceptedAt >= soon;
    return this.#inARow >= several && !lasts;
  }
}
