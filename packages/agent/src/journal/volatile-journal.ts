import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { Listeners } from '../async/listeners.ts';
import { Mutex } from '../async/mutex.ts';
import { instantOf } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { type NewCrossing, noMoment } from './record-codec.ts';
import { newJournalId } from './segment-header.ts';

/** What a session delivers from: the journal on the disk, and the volatile one. */
export interface Deliverable {
  readonly id: string;
  readonly acknowledged: number;
  readonly acknowledgedAt: number;
  read(from: number, max: number): Promise<readonly NumberedCrossing[]>;
  lostAt(sequence: number): readonly [number, number] | undefined;
  acknowledge(through: number, at: number): void;
}

export interface VolatileParts {
  /** Removes crossings from the writer's queue that are certainly not on the disk; none while the disk takes them. */
  readonly take: (most: number) => Promise<readonly NewCrossing[]>;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime: () => BootTime | undefined;
  /** Called after every acknowledgement. */
  readonly onAcknowledged?: () => void;
}

/**
 * A journal in memory, for crossings that the disk does not take: a power cut loses what of it is not acknowledged.
 *
 * Invariants: a crossing is in this journal or in the durable one, never in both, or it would be counted twice. Its id
 * is random and nothing of it is stored, so no later crossing gets one of its sequences. A crossing gets its sequence
 * when it is read to be sent; until then the disk may take it after all.
 */
export class VolatileJournal implements Deliverable {
  readonly id = newJournalId();
  readonly #parts: VolatileParts;
  readonly #mutex = new Mutex();
  readonly #pending = new Listeners();
  #recorded = 0;
  #acknowledged = 0;
  #acknowledgedAt = 0;
  /** Not acknowledged; the first of them follows `#acknowledged`. */
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

  /** Calls `listener` when there may be something to read; returns what ends that. */
  onPending(listener: () => void): () => void {
    return this.#pending.add(listener);
  }

  notifyPending(): void {
    this.#pending.call();
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
    this.#parts.onAcknowledged?.();
  }

  async #record(max: number): Promise<void> {
    const known = this.#parts.bootTime();
    for (const crossing of await this.#parts.take(max)) {
      this.#recorded += 1;
      this.#crossings = [...this.#crossings, placed(crossing, this.#recorded, known)];
    }
  }
}

/** The crossing with the instant that is sent, now and whenever it is sent again. */
function placed(
  { at, direction, uncertainty = 0, moment = noMoment, settled }: NewCrossing,
  sequence: number,
  known: BootTime | undefined,
): NumberedCrossing {
  if (settled !== false || !known) return { sequence, at, direction, uncertainty };
  return { sequence, at: instantOf(moment, known.offset), direction, uncertainty: known.uncertainty };
}
