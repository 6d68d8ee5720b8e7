import {
  addDays,
  dayOfWeek,
  type IsoDate,
  instantOfWallClock,
  localDateAt,
} from '@visitor-counter/domain/time-zone';

/** The recording begins on a Sunday and has 15 whole weeks. */
export const recordedDays = 105;

/**
 * The local date on which the recording's first day is played: whole weeks later than it was, so that its
 * last Saturday is the latest one before today in `timeZone`.
 */
export function firstRecordedDay(now: number, timeZone: string): IsoDate {
  const today = localDateAt(now, timeZone);
  const sinceSaturday = (dayOfWeek(today) % 7) + 1;
  return addDays(today, -sinceSaturday - (recordedDays - 1));
}

/** The instant (epoch ms) at which the local day `days` before today begins. */
export function startOfPast(now: number, timeZone: string, days: number): number {
  return instantOfWallClock(`${addDays(localDateAt(now, timeZone), -days)}T00:00`, timeZone);
}
