import type { Crossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';
import { checkedValues, type DatabaseRow } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';

/** A crossing to be journaled. */
export interface NewCrossing extends Crossing {
  /** How far `at` may be off (ms); 0 or missing for a clock that was right. */
  readonly uncertainty?: number;
  /** The moment on CLOCK_MONOTONIC, where it has one. */
  readonly moment?: MonotonicMs;
  /** False if `at` comes from a clock that was not set: the instant is determined later. */
  readonly isDated?: boolean;
}

/** A row of the table `crossing`, without its journal. */
export interface CrossingRow {
  readonly sequence: number;
  /** The boot on whose clock `moment` is; null if the instant does not follow from that. */
  readonly boot: number | null;
  readonly moment: MonotonicMs | null;
  /** Null while the instant is not known: then it follows from `moment` and the begin of the boot. */
  readonly at: EpochMs | null;
  readonly uncertainty: number;
  readonly direction: Crossing['direction'];
}

/** Throws JournalDamaged if a byte of the row has changed on the disk. */
export function crossingRow(found: DatabaseRow): CrossingRow {
  const { sequence, boot, moment, at, uncertainty, direction } = found;
  if (!checkedValues(found)) throw new JournalDamaged(`crossing ${String(sequence)} has changed`);
  return {
    sequence: Number(sequence),
    boot: boot === null ? null : Number(boot),
    moment: moment === null ? null : monotonicMs(Number(moment)),
    at: at === null ? null : Number(at),
    uncertainty: Number(uncertainty),
    direction: direction === -1 ? -1 : 1,
  };
}
