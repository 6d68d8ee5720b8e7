import { Latencies, type LatencySummary } from '../shared/latencies.ts';
import type { SentMessage } from './unit.ts';

/**
 * Records the acknowledged messages of a measurement. Instants are those of `performance.now()`.
 *
 * It counts messages that are acknowledged during the measurement. Latencies are those of messages that were due in it, even
 * if they are acknowledged later, since these are the slowest.
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

  /** Records messages that are acknowledged now. */
  acknowledged(messages: readonly SentMessage[], now = performance.now()): void {
    if (now >= this.#from && now < this.#to) this.#count += messages.length;
    this.unacknowledged(messages, now);
  }

  /** Records messages that are not acknowledged at the end of the load. */
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
