import { boundedInstant, clockText } from './time.ts';
import { type OffsetPeriod, offsetPeriodAt } from './time-zone.ts';

/**
 * Writes instants (epoch ms) as RFC 3339 with the zone's offset at that instant and milliseconds, such as
 * `2026-11-20T10:15:30.123+01:00`.
 *
 * Fast for many sorted instants: the offset is computed once per offset period. Never throws: an instant out of bounds is
 * written as the nearest bound, and a zone that this runtime does not know is UTC.
 */
export function zonedFormatter(timeZone: string): (instant: number) => string {
  let period: OffsetPeriod = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY, offset: 0 };
  let suffix = '';
  return (given) => {
    const instant = boundedInstant(given);
    if (instant < period.from || instant >= period.until) {
      period = offsetPeriodAt(instant, timeZone);
      suffix = offsetSuffix(period.offset);
    }
    return new Date(instant + period.offset).toISOString().slice(0, -1) + suffix;
  };
}

/** RFC 3339 has whole minutes only; offsets with seconds ended with local mean time. */
function offsetSuffix(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  return `${offset < 0 ? '-' : '+'}${clockText(minutes)}`;
}
