/** The most values of a label: unexpected names must not create a series each. */
const maxNames = 32;

/** Totals by name, for a few names; further names count as `other`. */
export class NamedTotals {
  readonly #totals: Map<string, { count: number }>;

  /** `names` are listed from the beginning, with 0. */
  constructor(names: readonly string[]) {
    this.#totals = new Map(names.map((name) => [name, { count: 0 }]));
  }

  add(name: string, count = 1): void {
    const total = this.#totals.get(name) ?? this.#totalOfNew(name);
    total.count += count;
  }

  *entries(): Iterable<readonly [string, number]> {
    for (const [name, { count }] of this.#totals) yield [name, count];
  }

  #totalOfNew(name: string): { count: number } {
    const key = this.#totals.size < maxNames ? name : 'other';
    const total = this.#totals.get(key) ?? { count: 0 };
    this.#totals.set(key, total);
    return total;
  }
}
