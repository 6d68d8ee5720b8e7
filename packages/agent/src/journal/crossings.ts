import type { Crossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import type { Database } from './database.ts';
import type { StoredJournal } from './stored-journal.ts';

/** A crossing to be journaled. */
export interface NewCrossing extends Crossing {
  /** How far `at` may be off (ms); 0 or missing for a clock that was right. */
  readonly uncertainty?: number;
  /** The moment on CLOCK_MONOTONIC, where it has one. */
  readonly moment?: MonotonicMs;
  /** False if `at` comes from a clock that was not set: the instant is determined later. */
  readonly isDated?: boolean;
}

/** A row of the table `crossing`. */
export type CrossingRow = {
  readonly journal: string;
  readonly sequence: number;
  /** The boot on whose clock `moment` is; null if the instant does not follow from that. */
  readonly boot: number | null;
  readonly moment: MonotonicMs | null;
  /** Null while the instant is not known: then it follows from `moment` and the begin of the boot. */
  readonly at: EpochMs | null;
  readonly uncertainty: number;
  readonly direction: Crossing['direction'];
};

/** The first sequence of a journal that is still there; the next one if there is none. */
export function firstSequence(database: Database, { name, recorded }: StoredJournal): number {
  return Number(database.value('select min(sequence) from crossing where journal = ?', name) ?? recorded + 1);
}

/** The instant of the last crossing of a journal that has one; 0 when there is none. */
export function lastInstant(database: Database, journal: string): EpochMs {
  const sql = 'select at from crossing where journal = ? and at is not null order by sequence desc limit 1';
  return Number(database.value(sql, journal) ?? 0);
}
