/** After this long an answer is waited for no more (ms). */
const longest = 10_000;

/**
 * How long answers took that come in the order of what was sent. Where one got lost, the next seems to have taken longer than
 * it has, never shorter.
 */
export class AwaitedAnswers {
  #sentAt: number[] = [];

  sent(): void {
    const now = performance.now();
    this.#sentAt = [...this.#awaitedAt(now), now];
  }

  /** How long the answer took that has come (ms); undefined where none was waited for. */
  heard(): number | undefined {
    const now = performance.now();
    const [sentAt, ...others] = this.#awaitedAt(now);
    this.#sentAt = others;
    return sentAt === undefined ? undefined : now - sentAt;
  }

  #awaitedAt(now: number): number[] {
    return this.#sentAt.filter((sentAt) => now - sentAt <= longest);
  }
}
