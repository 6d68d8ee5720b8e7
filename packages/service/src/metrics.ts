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
 * A counter over numbers that are kept elsewhere, read at each scrape: so counting on the hot path is an
 * addition. `read` gives the totals so far by value of `label`, whose values are few.
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

/** A counter without labels over a number that is kept elsewhere. */
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

/** A gauge that is read at each scrape. */
export function addGauge(registry: Metrics, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
