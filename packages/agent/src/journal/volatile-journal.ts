import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { Mutex } from '../async/concurrency.ts';
import { instantOf } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { type NewCrossing, newJournalId, noMoment } from './segment-format.ts';

/**
 * A journal in memory for crossings that cannot be written to the disk: a power cut loses the unacknowledged ones.
 *
 * Invariants: a crossing is in this journal or in the durable one, never in both, or it would be counted twice. Its id
 * is random and never stored, so no later crossing gets one of its sequences. A crossing gets its sequence when it is read
 * to be sent; until then it may still be written to the disk.
 */
export class VolatileJournal {
  readonly id = newJournalId();
  readonly #state: JournalState;
  readonly #writer: JournalWriter;
  readonly #mutex = new Mutex();
  #recorded = 0;
  #acknowledged = 0;
  #acknowledgedAt = 0;
  /** The unacknowledged ones; the first one follows `#acknowledged`. */
  #crossings: readonly NumberedCrossing[] = [];

  constructor(state: JournalState, writer: JournalWriter) {
    this.#state = state;
    this.#writer = writer;
  }

  /** The last sequence in use. */
  get recorded(): number {
    return this.#recorded;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get acknowledgedAt(): number {
    return this.#acknowledgedAt;
  }

  /** How many of its crossings are not acknowledged. */
  get unacknowledged(): number {
    return this.#recorded - this.#acknowledged;
  }

  /** At most `max` crossings with consecutive sequences, the first of them `from`. */
  read(from: number, max: number): Promise<readonly NumberedCrossing[]> {
    return this.#mutex.runExclusive(async () => {
      if (from > this.#recorded) await this.#record(max);
      const index = from - this.#acknowledged - 1;
      return index < 0 ? [] : this.#crossings.slice(index, index + max);
    });
  }

  lostAt(): undefined {}

  acknowledge(through: number, at: number): void {
    if (through <= this.#acknowledged || through > this.#recorded) return;
    this.#crossings = this.#crossings.slice(through - this.#acknowledged);
    this.#acknowledged = through;
    this.#acknowledgedAt = at;
    this.#state.changes.storage.call();
  }

  async #record(max: number): Promise<void> {
    const { bootTime, deliverHeld } = this.#state.settings;
    if (!deliverHeld) return;
    const known = bootTime();
    const isDeliverable = ({ isDated }: NewCrossing) => isDated !== false || known !== undefined;
    for (const crossing of await this.#writer.take(max, isDeliverable)) {
      this.#recorded += 1;
      this.#crossings = [...this.#crossings, numbered(crossing, this.#recorded, known)];
    }
  }
}

/** The crossing with its instant, which stays the same when it is sent again. */
function numbered(
  { at, direction, uncertainty = 0, moment = noMoment, isDated }: NewCrossing,
  sequence: number,
  known: BootTime | undefined,
): NumberedCrossing {
  if (isDated !== false || !known) return { sequence, at, direction, uncertainty };
  return { sequence, at: instantOf(moment, known.offset), direction, uncertainty: known.uncertainty };
}
