import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { earliestInstant, maxUncertainty } from '@visitor-counter/wire/limits';
import type { BootTime } from './unit-clock.ts';

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before it; 0 when there is none. */
  readonly after: EpochMs;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

/**
 * Determines when each boot began from the begin of the present one.
 *
 * The present boot's crossings get its time. An earlier boot whose clock was never right lies between the
 * last known instant before it and the begin of the next boot: its crossings get the middle of these bounds,
 * and half their distance as uncertainty. A clock without a battery starts at the time of the last shutdown,
 * so its time is the earliest bound, unless that contradicts a later boot.
 */
export function estimateBootTimes(
  undated: readonly UndatedBoot[],
  present: { readonly boot: string } & BootTime,
): DatedBoot[] {
  const earlier = undated.filter(({ boot }) => boot !== present.boot);
  const latest = latestBegins(earlier, present.offset);
  const dated: DatedBoot[] = [];
  let ended = earliestInstant;
  for (const [index, { boot, claimed, last, after }] of earlier.entries()) {
    const latestBegin = latest[index] ?? present.offset;
    const known = Math.max(after, ended);
    const earliest = Math.max(known, claimed <= latestBegin ? claimed : known);
    const begin = earliest <= latestBegin ? (earliest + latestBegin) / 2 : latestBegin;
    const uncertainty = Math.ceil(Math.abs(latestBegin - begin) || Math.max(0, earliest - latestBegin));
    ended = Math.min(earliest, latestBegin) + last;
    dated.push({ boot, offset: begin, uncertainty: bounded(uncertainty + present.uncertainty) });
  }
  const isUndated = undated.some(({ boot }) => boot === present.boot);
  return isUndated ? [...dated, present] : dated;
}

/** The latest instant at which each boot can have begun: each has ended before the next one begins. */
function latestBegins(boots: readonly UndatedBoot[], present: EpochMs): EpochMs[] {
  const latest: EpochMs[] = [];
  let next = present;
  for (const { last } of boots.toReversed()) {
    next -= last;
    latest.unshift(next);
  }
  return latest;
}

function bounded(uncertainty: number): number {
  return Math.min(maxUncertainty, uncertainty);
}
