import { Temporal } from 'temporal-polyfill';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

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
