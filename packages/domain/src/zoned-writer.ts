import { boundedInstant, lastInstant } from './time.ts';
import { offsetPeriodAt } from './time-zone.ts';
import { zonedFormatter } from './zoned-formatter.ts';

/** Bytes of an instant: `2026-11-20T10:15:30.123+01:00`. */
export const zonedLength = 29;

const clockAt = 'YYYY-MM-DDT'.length;
const day = 86_400_000;
const zero = 48;

/**
 * Writes instants (epoch ms) into bytes, at an offset, as `zonedFormatter` formats them, with its bounds.
 *
 * Fast for millions of instants in order: offset and date are computed once per local day.
 */
export function zonedWriter(timeZone: string): (instant: number, into: Uint8Array, offset: number) => void {
  const format = zonedFormatter(timeZone);
  const encoder = new TextEncoder();
  const latest = new Uint8Array(zonedLength);
  /* Date and offset do not change in [start, end). At `midnight` its local clock shows 0:00, or would. */
  let [start, end, midnight] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  return (given, into, offset) => {
    let instant = Math.floor(given);
    if (!(instant >= start && instant < end)) {
      instant = boundedInstant(given);
      const period = offsetPeriodAt(instant, timeZone);
      midnight = Math.floor((instant + period.offset) / day) * day - period.offset;
      start = Math.max(midnight, period.from, 0);
      end = Math.min(midnight + day, period.until, lastInstant + 1);
      encoder.encodeInto(format(instant), latest);
    }
    into.set(latest, offset);
    writeClock(instant - midnight, into, offset + clockAt);
  };
}

/** Overwrites the digits of `HH:MM:SS.fff`. */
function writeClock(ms: number, into: Uint8Array, offset: number): void {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  writeTwo(hours, into, offset);
  writeTwo(minutes - 60 * hours, into, offset + 3);
  writeTwo(seconds - 60 * minutes, into, offset + 6);
  const fraction = ms - 1_000 * seconds;
  const hundreds = Math.floor(fraction / 100);
  into[offset + 9] = zero + hundreds;
  writeTwo(fraction - 100 * hundreds, into, offset + 10);
}

function writeTwo(value: number, into: Uint8Array, offset: number): void {
  const tens = Math.floor(value / 10);
  into[offset] = zero + tens;
  into[offset + 1] = zero + value - 10 * tens;
}
