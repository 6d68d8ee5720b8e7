import type { SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Crossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';

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
export interface CrossingRow {
  readonly sequence: number;
  /** The row of the boot on whose clock `moment` is. */
  readonly boot: number;
  readonly moment: MonotonicMs | null;
  /** Null while the instant is not known: then it follows from `moment` and the begin of the boot. */
  readonly at: EpochMs | null;
  readonly uncertainty: number;
  readonly direction: Crossing['direction'];
}

export type DatabaseRow = Readonly<Record<string, SQLOutputValue>>;

/** The row with its values checked; undefined if a byte of it has changed on the disk, which SQLite does not notice. */
export function crossingRow(journal: string, found: DatabaseRow): CrossingRow | undefined {
  const { sequence, boot, moment, at, uncertainty, direction, checksum } = found;
  const row: CrossingRow = {
    sequence: Number(sequence),
    boot: Number(boot),
    moment: moment === null ? null : monotonicMs(Number(moment)),
    at: at === null ? null : Number(at),
    uncertainty: Number(uncertainty),
    direction: direction === -1 ? -1 : 1,
  };
  return checksumOf(journal, valuesOf(row)) === checksum ? row : undefined;
}

/** The values of the columns of `crossing` in order, without the journal and the checksum. */
export function valuesOf({ sequence, boot, moment, at, uncertainty, direction }: CrossingRow) {
  return [sequence, boot, moment, at, uncertainty, direction] as const;
}

/** The checksum of a row, which also depends on the journal's name. */
export function checksumOf(name: string, values: readonly unknown[]): number {
  return crc32(JSON.stringify([name, ...values]));
}
