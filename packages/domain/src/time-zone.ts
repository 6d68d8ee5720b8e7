import { Temporal } from 'temporal-polyfill';
import { boundedInstant } from './instant.ts';

/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string;
/** A local date-time without offset, `YYYY-MM-DDTHH:MM[:SS[.fff]]`. */
export type IsoLocalDateTime = string;

/** True for an IANA time zone name that this runtime knows, such as `Europe/Berlin`; false for offsets. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.PlainDate.from('2000-01-01').toZonedDateTime(name);
    return true;
  } catch {
    return false;
  }
}

const readable = new Map<string, string>();
const mostRemembered = 1_000;

/**
 * The zone itself where this runtime knows it, else UTC: a zone that was valid when its store was entered can be missing
 * from another runtime's list, and one store must not make every answer about its company fail.
 */
export function readableTimeZone(name: string): string {
  const known = readable.get(name);
  if (known !== undefined) return known;
  if (readable.size >= mostRemembered) readable.clear();
  const zone = isTimeZone(name) ? name : 'UTC';
  readable.set(name, zone);
  return zone;
}

/** Which instant a local time means when the clocks were set back and it occurred twice. */
export type Overlap = 'earlier' | 'later';

/**
 * The instant (epoch ms) of a local date-time in a zone.
 * Where the clocks were set forward over it, the next instant that exists: the moment of the change.
 */
export function instantOfLocal(local: IsoLocalDateTime, zone: string, overlap: Overlap): number {
  const timeZone = readableTimeZone(zone);
  const wall = Temporal.PlainDateTime.from(local);
  const zoned = wall.toZonedDateTime(timeZone, { disambiguation: overlap });
  if (zoned.toPlainDateTime().equals(wall)) return zoned.epochMilliseconds;
  const beforeGap = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  return beforeGap.getTimeZoneTransition('next')?.epochMilliseconds ?? zoned.epochMilliseconds;
}

/**
 * The instant (epoch ms) of a local date-time, its first occurrence where it occurs twice; where it does
 * not exist, moved forward by the length of the gap, as a clock that was never set would have had it.
 */
export function instantOfWallClock(local: IsoLocalDateTime, timeZone: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(readableTimeZone(timeZone), {
    disambiguation: 'compatible',
  }).epochMilliseconds;
}

/** The calendar date in a zone at an instant (epoch ms). */
export function localDateAt(instant: number, timeZone: string): IsoDate {
  return zoned(instant, timeZone).toPlainDate().toString();
}

/** `days` later than `date`; negative goes back. */
export function addDays(date: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'days' }).days;
}

/** Day of the week by ISO 8601: 1 is Monday, 7 is Sunday. */
export function dayOfWeek(date: IsoDate): number {
  return Temporal.PlainDate.from(date).dayOfWeek;
}

/** A stretch of time over which a zone's offset from UTC does not change: [`from`, `until`). */
export interface OffsetPeriod {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** The offset (ms to add to UTC for local time) in force at an instant, and how long it is. */
export function offsetPeriodAt(instant: number, timeZone: string): OffsetPeriod {
  const at = zoned(instant, timeZone);
  const next = at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  return { from: instant, until: next, offset: Math.trunc(at.offsetNanoseconds / 1e6) };
}

function zoned(instant: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(boundedInstant(instant)).toZonedDateTimeISO(
    readableTimeZone(timeZone),
  );
}
