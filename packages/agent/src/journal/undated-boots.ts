import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf, latest } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { CrossingRow } from './rows.ts';

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before its begin; 0 when there is none. */
  readonly after: EpochMs;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

/** The boots of the rows without an instant, in order. Others before such a row are earlier than it. */
export function undatedBootsIn(rows: Iterable<CrossingRow>): UndatedBoot[] {
  const boots = new Map<string, UndatedBoot>();
  let known = 0;
  for (const { boot, moment, at, uncertainty } of rows) {
    if (boot === null || moment === null) {
      known = Math.max(known, at - uncertainty);
      continue;
    }
    /* The known instant may be of the same boot, so it is a bound for this crossing and not for the begin. */
    const { claimed = at - moment, after = 0, last = moment } = boots.get(boot) ?? {};
    boots.set(boot, {
      boot,
      claimed: Math.min(claimed, at - moment),
      last: latest(last, moment),
      after: Math.max(after, known - moment),
    });
  }
  return [...boots.values()];
}

/** The row with its instant; the same row if it has one, or if its boot is not among these. */
export function datedRow(row: CrossingRow, boots: readonly DatedBoot[]): CrossingRow {
  const found = boots.find(({ boot }) => boot === row.boot);
  if (!found || row.moment === null) return row;
  const { offset, uncertainty } = found;
  return { ...row, boot: null, moment: null, at: instantOf(row.moment, offset), uncertainty };
}
