/** An answer is no longer expected after this time (ms). */
const longest = 10_000;

/**
 * Measures the time until each answer. Answers must arrive in the order of their requests. After a lost answer, the
 * next one seems to have taken longer than it has, never shorter.
 */
export class RoundTrips {
  #sentAt: number[] = [];

  requestSent(): void {
    const now = performance.now();
    this.#sentAt = [...this.#expectedAt(now), now];
  }

  /** The time that this answer took (ms); undefined if none was expected. */
  answerReceived(): number | undefined {
    const now = performance.now();
    const [sentAt, ...others] = this.#expectedAt(now);
    this.#sentAt = others;
    return sentAt === undefined ? undefined : now - sentAt;
  }

  #expectedAt(now: number): number[] {
    return this.#sentAt.filter((sentAt) => now - sentAt <= longest);
  }
}
