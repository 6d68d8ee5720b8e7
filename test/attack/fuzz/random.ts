import { seededRandom } from '@visitor-counter/simulation/random';

/** The random source of a fuzzer, determined by the seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  bytes(length: number): Buffer {
    return Buffer.from(Uint8Array.from({ length }, () => this.below(256)));
  }

  /** Text as clients should not send it: long, empty, with NUL, wildcards, or characters of several bytes. */
  text(): string {
    const part = () =>
      this.pick(['a', '/', '+', '#', '\0', 'é', '😀', '$SYS', 'constructor', '\uffff', ' ', '..']);
    return Array.from({ length: this.below(this.chance(0.02) ? 3_000 : 12) }, part).join('');
  }
}
