import { Latencies, type LatencySummary } from '../shared/latencies.ts';
import type { SentMessage } from './unit.ts';

/**
 * What was acknowledged in the time that is measured. Instants are those of `performance.now()`.
 *
 * Counted is what is acknowledged in that time; the latencies are those of what was due in it, whenever it was
 * acknowledged: what the server still owes at the end is the slowest of all.
 */
export class Recorder {
  readonly #from: number;
  readonly #to: number;
  readonly #crossings = new Latencies();
  readonly #heartbeats = new Latencies();
  #count = 0;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Messages are acknowledged now. */
  acknowledged(messages: readonly SentMessage[], now = performance.now()): void {
    if (now >= this.#from && now < this.#to) this.#count += messages.length;
    this.unacknowledged(messages, now);
  }

  /** Messages are not acknowledged until now, when the load ends. */
  unacknowledged(messages: readonly SentMessage[], now = performance.now()): void {
    for (const { channel, dueAt } of messages) {
      if (dueAt < this.#from || dueAt >= this.#to) continue;
      (channel === 'heartbeat' ? this.#heartbeats : this.#crossings).add(now - dueAt);
    }
  }

  /** Acknowledged messages. */
  get count(): number {
    return this.#count;
  }

  get crossings(): LatencySummary {
    return this.#crossings.summary;
  }

  get heartbeats(): LatencySummary {
    return this.#heartbeats.summary;
  }
}
