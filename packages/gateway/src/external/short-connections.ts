/** A connection that ends sooner after the broker has accepted it is short (ms). */
const shortBelow = 5_000;

/** So many short connections in a row have a cause. */
const several = 3;

/**
 * Detects a broker that repeatedly accepts a connection and closes it soon after, unlike one that is unavailable. Brokers
 * do that when two clients have the same client id: each takes over the session of the other.
 */
export class ShortConnections {
  #shortInARow = 0;
  #acceptedAt: number | undefined;

  accepted(now: number): void {
    this.#acceptedAt = now;
  }

  /** The connection has ended, or was never accepted; `byBroker` if the gateway did not end it. */
  ended(now: number, byBroker: boolean): void {
    const isShort = byBroker && this.#acceptedAt !== undefined && now - this.#acceptedAt < shortBelow;
    this.#shortInARow = isShort ? this.#shortInARow + 1 : 0;
    this.#acceptedAt = undefined;
  }

  /** Several were short in a row, and none has lasted since. */
  areSeveral(now: number): boolean {
    const lasts = this.#acceptedAt !== undefined && now - this.#acceptedAt >= shortBelow;
    return this.#shortInARow >= several && !lasts;
  }
}
