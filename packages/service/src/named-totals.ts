/** The most values of a label: a name that nobody foresaw must not make a series for each of its spellings. */
const maxNames = 32;

/** Totals by a name out of a few; names beyond them count as `other`. */
export class NamedTotals {
  readonly #totals: Map<string, { count: number }>;

  /** `names` are shown from the beginning, with 0. */
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
