import { createHistogram } from 'node:perf_hooks';

/** A summary of latencies (ms). */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Records latencies in constant memory, in an HDR histogram of three digits from 1 µs to an hour. */
export class Latencies {
  readonly #histogram = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });

  /** Adds one (ms). */
  add(latency: number): void {
    this.#histogram.record(Math.max(1, Math.round(latency * 1_000)));
  }

  get summary(): LatencySummary {
    const { count, max } = this.#histogram;
    if (count === 0) return { count, p50: 0, p99: 0, max: 0 };
    const at = (percentile: number) => this.#histogram.percentile(percentile) / 1_000;
    return { count, p50: at(50), p99: at(99), max: max / 1_000 };
  }
}
