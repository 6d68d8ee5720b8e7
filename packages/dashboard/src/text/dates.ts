import { cached, locale } from './locale.ts';

/* Times and dates in the page's language. Texts of /v1 have the local time of the store with its offset, so they need
   no time zone: they are written as they are. Dates are texts such as 2026-11-20. */

const day = { day: 'numeric', month: 'short' } as const;

/** The time of day in an instant of /v1, such as 14:05 or 2:05 PM. */
export const timeOf = (instant: string) => written(instant, clock());

/** A day and a time, such as 20 Nov, 14:05. */
export const dayAndTimeOf = (instant: string) => written(instant, { ...day, ...clock() });

/** The hour in an instant of /v1 or in a number from 0 to 23, as short as an axis needs it: 14 or 2 PM. */
export function hourOf(instant: string | number): string {
  const local = typeof instant === 'string' ? instant : `2000-01-01T${String(instant).padStart(2, '0')}:00`;
  const parts = formatter({ hour: clock().hour, timeZone: 'UTC' }).formatToParts(utc(local));
  return parts
    .filter(({ type }) => type === 'hour' || type === 'dayPeriod')
    .map(({ value }) => value)
    .join(' ');
}

/** The time at which an hour from 0 to 23 begins, such as 07:00 or 7:00 AM. */
export const timeOfHour = (hour: number) => timeOf(`2000-01-01T${String(hour).padStart(2, '0')}:00`);

/** The hour from a number from 0 to 23 on, in one line, such as 14 – 15. */
export const hourSpan = (hour: number) => `${hourOf(hour)}\u00a0–\u2060\u00a0${hourOf((hour + 1) % 24)}`;

/** The time of an epoch instant (ms) in a zone. */
export const timeAt = (at: number, timeZone: string) => formatter({ ...clock(), timeZone }).format(at);

/** An epoch instant (ms) as an instant of /v1, at the offset from UTC that another one has. */
export function atOffset(at: number, other: string): string {
  const offset = offsetIn(other);
  const ahead = Date.parse(`${other.slice(0, 19)}Z`) - Date.parse(other.slice(0, 19) + offset);
  return new Date(at + ahead).toISOString().replace('Z', offset);
}

/** The offset from UTC in an instant of /v1, such as +05:45 or Z. */
export const offsetIn = (instant: string) => instant.replace(/^.{19}(\.\d+)?/, '');

/** The time of an epoch instant (ms) in the zone of the browser, with the name of that zone. */
export const timeHere = (at: number) => formatter({ ...clock(), timeZoneName: 'short' }).format(at);

/** The day and the time, in the same way. */
export const dayAndTimeHere = (at: number) =>
  formatter({ ...day, ...clock(), timeZoneName: 'short' }).format(at);

/** How long ago an instant was, given as a negative duration (ms), such as 5 minutes ago. */
export function ago(duration: number): string {
  const minutes = Math.round(duration / 60_000);
  const [n, unit] =
    minutes > -60
      ? ([minutes, 'minute'] as const)
      : minutes > -1_440
        ? ([Math.round(minutes / 60), 'hour'] as const)
        : ([Math.round(minutes / 1_440), 'day'] as const);
  return cached(`ago ${locale()}`, () => new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' })).format(
    n,
    unit,
  );
}

/** The time of an epoch instant (ms) on this device, with seconds. */
export const clockAt = (at: number) => formatter({ ...clock(), second: '2-digit' }).format(at);

/** Such as 20 Nov. */
export const shortDate = (date: string) => written(date, day);

/** Such as Fri 20 Nov, with the year if it is not the present one. */
export const dateWithWeekday = (date: string) =>
  written(date, { weekday: 'short', ...day, ...yearOf([date]) });

/** Such as Friday. */
export const weekdayOf = (date: string) => written(date, { weekday: 'long' });

/** Such as Fri 20. */
export const weekdayAndDay = (date: string) => written(date, { weekday: 'short', day: 'numeric' });

/** From one instant of /v1 to another of the same day, such as 10:00 – 11:00; both by the clock of the first. */
export const timeSpan = (from: string, to: string) =>
  `${timeOf(from)} – ${timeOf(atOffset(Date.parse(to), from))}`;

/** Such as Friday 20 November 2026. */
export const longDate = (date: string) =>
  written(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** The days of a period in full: one, or the first and the last. */
export const longPeriod = (from: string, to: string) =>
  from === to ? longDate(from) : `${longDate(from)} – ${longDate(to)}`;

/** Such as November 2026. */
export const monthAndYear = (date: string) => written(date, { month: 'long', year: 'numeric' });

/** Such as Nov. */
export const shortMonth = (date: string) => written(date, { month: 'short' });

/** The name of a weekday, 1 (Monday) to 7. */
export const weekday = (n: number, width: 'short' | 'long') => written(`2026-06-0${n}`, { weekday: width });

/** A period, such as 9 – 15 Nov, with the year if it is not the present one; one day is written with its weekday. */
export function period(from: string, to: string): string {
  if (from === to) return dateWithWeekday(from);
  const options = { ...day, ...yearOf([from, to]), timeZone: 'UTC' } as const;
  return formatter(options).formatRange(utc(from), utc(to));
}

/** The year is written unless all dates are of the present one. */
function yearOf(dates: readonly string[]): { readonly year?: 'numeric' } {
  return dates.every((date) => date.startsWith(`${new Date().getFullYear()}-`)) ? {} : { year: 'numeric' };
}

/** A date some days later, or earlier. */
export function plusDays(date: string, days: number): string {
  const at = utc(date);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** 09:05 where the day has 24 hours, 9:05 AM where it has twice twelve. */
function clock(): Intl.DateTimeFormatOptions {
  const { hourCycle } = formatter({ hour: 'numeric' }).resolvedOptions();
  return { hour: hourCycle?.startsWith('h2') ? '2-digit' : 'numeric', minute: '2-digit' };
}

function written(local: string, options: Intl.DateTimeFormatOptions): string {
  return formatter({ ...options, timeZone: 'UTC' }).format(utc(local));
}

/** The local time of a text as if it were in UTC. */
function utc(local: string): Date {
  return new Date(`${local.slice(0, 16)}${local.length < 16 ? 'T00:00' : ''}Z`);
}

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(
    `date ${locale()} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(locale(), options),
  );
}
