/** The most values of a label: a name that nobody foresaw must not make a series for each of its spellings. */
const maxNames = 32;

/** Totals by a name out of a few; names beyond them count as `other`. */
export class Tally {
  readonly #totals: Map<string, number>;

  /** `names` are shown from the beginning, with 0. */
  constructor(names: readonly string[]) {
    this.#totals = new Map(names.map((name) => [name, 0]));
  }

  add(name: string, count = 1): void {
    const known = this.#totals.has(name) || this.#totals.size < maxNames;
    const key = known ? name : 'other';
    this.#totals.set(key, (this.#totals.get(key) ?? 0) + count);
  }

  entries(): Iterable<readonly [string, number]> {
    return this.#totals;
  }
}
