import { Temporal } from 'temporal-polyfill';
import { boundedInstant, parseInstant } from './time.ts';

/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string;
/** A local date-time without offset, `YYYY-MM-DDTHH:MM[:SS[.fff]]`. */
export type IsoLocalDateTime = string;

/** Whether this runtime knows an IANA time zone name, such as `Europe/Berlin`; false for offsets. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.PlainDate.from('2000-01-01').toZonedDateTime(name);
    return true;
  } catch {
    return false;
  }
}

const cachedZones = new Map<string, string>();
const mostCachedZones = 1_000;

/**
 * The zone itself if this runtime knows it, else UTC: a zone that was valid when its store was created may be unknown to
 * another runtime, and one store must not make every answer about its company fail.
 */
export function readableTimeZone(name: string): string {
  const cached = cachedZones.get(name);
  if (cached !== undefined) return cached;
  if (cachedZones.size >= mostCachedZones) cachedZones.clear();
  const zone = isTimeZone(name) ? name : 'UTC';
  cachedZones.set(name, zone);
  return zone;
}

/** Which instant a local time means when the clocks were set back and it occurred twice. */
type Overlap = 'earlier' | 'later';

/**
 * The instant (epoch ms) of a local date-time in a zone.
 * If the clocks were set forward over it, the next instant that exists: the moment of the change.
 */
export function instantOfLocal(local: IsoLocalDateTime, zone: string, overlap: Overlap): number {
  const timeZone = readableTimeZone(zone);
  const wall = Temporal.PlainDateTime.from(local);
  const zoned = wall.toZonedDateTime(timeZone, { disambiguation: overlap });
  if (zoned.toPlainDateTime().equals(wall)) return zoned.epochMilliseconds;
  const beforeGap = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  return beforeGap.getTimeZoneTransition('next')?.epochMilliseconds ?? zoned.epochMilliseconds;
}

const localText = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$/;

/**
 * The instant (epoch ms, a fraction of a millisecond cut off) of an RFC 3339 date-time, or without offset of a local one, the
 * first if it occurs twice; undefined for other texts and for a date that does not exist.
 */
export function parseInstantIn(text: string, zone: string): number | undefined {
  if (!localText.test(text)) return parseInstant(text);
  try {
    return Math.floor(instantOfLocal(text.replace(/[ t]/, 'T'), zone, 'earlier'));
  } catch {
    return undefined;
  }
}

/**
 * The instant (epoch ms) of a local date-time: the first if it occurs twice; if it does not exist, moved forward by the
 * length of the gap, as on a clock that nobody adjusted.
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

/** What `isDate` accepts, ending the sentence "<name> must be …". */
export const dateExpected = 'a date that exists, YYYY-MM-DD, from 1970-01-01 to 9999-12-30';

/** Whether a text is a date that exists, from 1970 to the last but one day of 9999. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01' || text > '9999-12-30') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** `days` later than `date`; negative goes back. Throws a RangeError for a date that does not exist. */
export function addDays(date: IsoDate, days: number): IsoDate {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  /* Several times faster, for all but a date that does not exist and years of more than four digits. */
  if (utcDate(midnight) === date) {
    const moved = utcDate(midnight + days * 86_400_000);
    if (moved?.length === date.length) return moved;
  }
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

function utcDate(instant: number): IsoDate | undefined {
  return Math.abs(instant) <= 8.64e15 ? new Date(instant).toISOString().slice(0, -14) : undefined;
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'days' }).days;
}

/** Day of the week by ISO 8601: 1 is Monday, 7 is Sunday. */
export function dayOfWeek(date: IsoDate): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}

/** A time in which a zone's offset from UTC does not change: [`from`, `until`), epoch ms. */
export interface OffsetPeriod {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** The offset at an instant (ms to add to UTC for local time), and until when it applies. */
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
