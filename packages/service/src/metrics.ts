import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of one process or of one test: nothing is registered globally. */
export type Metrics = Registry;

/** An empty registry; the metrics of the process itself (`process_…`, `nodejs_…`) with `ofProcess`. */
export function createMetrics({ ofProcess }: { readonly ofProcess: boolean }): Metrics {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * A counter that reads its numbers from the caller at each scrape, so that counting on the hot path is only
 * an addition. `read` returns the totals by value of `label`, which must have few values.
 */
export function addCounter<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  label: Label,
  read: () => Iterable<readonly [value: string, total: number]>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, total] of read()) this.labels(value).inc(total);
    },
  });
}

/** A counter without labels that reads its number from the caller at each scrape. */
export function addTotal(registry: Metrics, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** A gauge that is read at each scrape; it has no sample while `read` returns undefined. */
export function addGauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** A gauge with a sample for each value of `label`, which must have few or be bounded in number. */
export function addGauges<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  label: Label,
  read: () =>
    | Iterable<readonly [value: string, number: number]>
    | Promise<Iterable<readonly [value: string, number: number]>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      for (const [value, number] of samples) this.labels(value).set(number);
    },
  });
}

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
