import { Temporal } from 'temporal-polyfill';

declare const clock: unique symbol;

/** Milliseconds since 1970 in UTC. A plain number is accepted as one; a `MonotonicMs` is not. */
export type EpochMs = number & { readonly [clock]?: 'UTC' };

/**
 * Milliseconds on a clock that is never set. It says when something happened relative to other moments of the same clock,
 * and nothing about the date: only the unit's clock converts it.
 */
export type MonotonicMs = number & { readonly [clock]: 'monotonic' };

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** The last instant (epoch ms) whose year has four digits in every time zone: the end of 9999, less a day. */
export const lastInstant = Date.UTC(9999, 11, 30, 23, 59, 59, 999);

/**
 * An instant (epoch ms) as whole milliseconds within 1970 to `lastInstant`; 1970 for NaN. The database can contain
 * infinities and years that no formatter writes; a formatter must not throw for them.
 */
export function boundedInstant(instant: number): number {
  return Number.isNaN(instant) ? 0 : Math.floor(Math.min(Math.max(instant, 0), lastInstant));
}

/** A number from 0 to 99, as dates and times write it. */
export function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}

/** Minutes as `HH:MM`. */
export function clockText(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** A local time `HH:MM`. */
export type LocalTime = string;

export function isLocalTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
}

/** An instant (epoch ms) as RFC 3339 in UTC, bounded as `boundedInstant` is; never throws. */
export function utcText(instant: number): string {
  return new Date(boundedInstant(instant)).toISOString();
}

/**
 * The instant (epoch ms, a fraction of a millisecond cut off) of an RFC 3339 date-time, which has an
 * offset, such as `2026-11-20T10:15:30+01:00`; undefined for any other text and for one that does not exist.
 */
export function parseInstant(text: string): number | undefined {
  if (!rfc3339.test(text)) return undefined;
  try {
    return Temporal.Instant.from(text.replace(' ', 'T')).epochMilliseconds;
  } catch {
    return undefined;
  }
}

/** The instant (epoch ms) at which a date `YYYY-MM-DD` begins in UTC; undefined for any other text. */
export function parseUtcDate(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(`${text}T00:00:00Z`) : undefined;
}
