import { Latencies, type LatencySummary } from '../shared/latencies.ts';

/**
 * What was acknowledged in the time that is measured. Instants are those of `performance.now()`.
 *
 * Counted is what is acknowledged in that time; the latencies are those of what was due in it, whenever it was
 * acknowledged: what the server still owes at the end is the slowest of all.
 */
export class Recorder {
  readonly #from: number;
  readonly #to: number;
  readonly #latencies = new Latencies();
  #count = 0;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Messages that were due at these instants are acknowledged now. */
  acknowledged(dueAt: readonly number[], now = performance.now()): void {
    if (now >= this.#from && now < this.#to) this.#count += dueAt.length;
    this.unacknowledged(dueAt, now);
  }

  /** Messages that were due at these instants are not acknowledged until the end. */
  unacknowledged(dueAt: readonly number[], now = performance.now()): void {
    for (const at of dueAt) {
      if (at >= this.#from && at < this.#to) this.#latencies.add(now - at);
    }
  }

  /** Acknowledged messages. */
  get count(): number {
    return this.#count;
  }

  get latency(): LatencySummary {
    return this.#latencies.summary;
  }
}
