import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { Listeners } from '../async/listeners.ts';
import { Mutex } from '../async/mutex.ts';
import { instantOf } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { JournalWriter } from './journal-writer.ts';
import { type NewCrossing, noMoment } from './record-codec.ts';
import { newJournalId } from './segment-header.ts';

/** A journal that can be delivered: the one on the disk, or the volatile one. */
export interface Deliverable {
  readonly id: string;
  readonly acknowledged: number;
  readonly acknowledgedAt: number;
  read(from: number, max: number): Promise<readonly NumberedCrossing[]>;
  lostAt(sequence: number): readonly [number, number] | undefined;
  acknowledge(through: number, at: number): void;
}

export interface VolatileParts {
  readonly writer: JournalWriter;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime: () => BootTime | undefined;
  /** Whether held crossings are delivered from memory; otherwise they stay in memory until the disk can be written. */
  readonly deliverHeld: boolean;
}

/**
 * A journal in memory for crossings that cannot be written to the disk: a power cut loses the unacknowledged ones.
 *
 * Invariants: a crossing is in this journal or in the durable one, never in both, or it would be counted twice. Its id
 * is random and never stored, so no later crossing gets one of its sequences. A crossing gets its sequence when it is read
 * to be sent; until then it may still be written to the disk.
 */
export class VolatileJournal implements Deliverable {
  readonly id = newJournalId();
  readonly #parts: VolatileParts;
  readonly #mutex = new Mutex();
  readonly #acknowledgements = new Listeners();
  #recorded = 0;
  #acknowledged = 0;
  #acknowledgedAt = 0;
  /** The unacknowledged ones; the first one follows `#acknowledged`. */
  #crossings: readonly NumberedCrossing[] = [];

  constructor(parts: VolatileParts) {
    this.#parts = parts;
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

  /** Calls `listener` when there may be something to read; returns the function that removes it. */
  onPending(listener: () => void): () => void {
    return this.#parts.writer.storage.add(listener);
  }

  /** Calls `listener` after every acknowledgement; returns the function that removes it. */
  onAcknowledged(listener: () => void): () => void {
    return this.#acknowledgements.add(listener);
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
    this.#acknowledgements.call();
  }

  async #record(max: number): Promise<void> {
    const { writer, bootTime, deliverHeld } = this.#parts;
    if (!deliverHeld) return;
    const known = bootTime();
    const isDeliverable = ({ settled }: NewCrossing) => settled !== false || known !== undefined;
    for (const crossing of await writer.take(max, isDeliverable)) {
      this.#recorded += 1;
      this.#crossings = [...this.#crossings, numbered(crossing, this.#recorded, known)];
    }
  }
}

/** The crossing with its instant, which stays the same when it is sent again. */
function numbered(
  { at, direction, uncertainty = 0, moment = noMoment, settled }: NewCrossing,
  sequence: number,
  known: BootTime | undefined,
): NumberedCrossing {
  if (settled !== false || !known) return { sequence, at, direction, uncertainty };
  return { sequence, at: instantOf(moment, known.offset), direction, uncertainty: known.uncertainty };
}
