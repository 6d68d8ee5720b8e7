import { type BusinessCalendar, businessDayOf, businessDayStarts } from './business-day.ts';
import type { Period } from './periods.ts';
import { addDays, daysBetween, type IsoDate } from './time-zone.ts';
import { zonedFormatter } from './zoned-formatter.ts';

export type BucketSize = '15min' | 'hour' | 'day';

const minute = 60_000;
const lengths: Readonly<Record<BucketSize, number>> = {
  '15min': 15 * minute,
  hour: 60 * minute,
  day: 24 * 60 * minute,
};

/** A piece of a business day, [`from`, `to`) in epoch ms. */
export interface Bucket {
  readonly date: IsoDate;
  readonly from: number;
  readonly to: number;
  /** The local time of `from`, `YYYY-MM-DDTHH:MM`. */
  readonly localFrom: string;
  /** True for the second bucket of a day that begins at the same local time, since clocks were set back. */
  readonly again: boolean;
}

/** Business days, both included; `periodOf` completes them. */
export interface Days {
  readonly from: IsoDate | undefined;
  readonly to: IsoDate | undefined;
}

/**
 * The buckets of business days, in order. They are counted from the start of each day, so none reaches into another day: a
 * day of 23 hours has 23 hourly buckets. The last one is shorter if clocks are moved by less than its length.
 */
export function bucketsOf(calendar: BusinessCalendar, period: Period, size: BucketSize): Bucket[] {
  const count = daysIn(period);
  const format = zonedFormatter(calendar.timeZone);
  const starts = businessDayStarts(period.from, count, calendar);
  return Array.from({ length: count }, (_, n) => {
    const date = addDays(period.from, n);
    const [start = 0, end = start] = [starts[n], starts[n + 1]];
    const length = size === 'day' ? end - start : lengths[size];
    const begun = new Set<string>();
    return Array.from({ length: Math.ceil((end - start) / length) }, (_entry, index): Bucket => {
      const from = start + index * length;
      const to = Math.min(from + length, end);
      const localFrom = format(from).slice(0, 16);
      const again = begun.has(localFrom);
      begun.add(localFrom);
      return { date, from, to, localFrom, again };
    });
  }).flat();
}

/** About how many buckets `bucketsOf` returns. */
export function aboutHowMany(calendar: BusinessCalendar, days: Days, size: BucketSize, now: number): number {
  return daysIn(periodOf(calendar, days, now)) * Math.ceil((24 * 60 * minute) / lengths[size]);
}

/** Completes business days: the end is the present day, or `from` if that is later; the start is the end. */
export function periodOf(calendar: BusinessCalendar, { from, to }: Days, now: number): Period {
  const today = businessDayOf(now, calendar).date;
  const last = to ?? (from !== undefined && from > today ? from : today);
  return { from: from ?? last, to: last };
}

function daysIn({ from, to }: Period): number {
  return Math.max(0, daysBetween(from, to) + 1);
}

/** A bucket of several stores. */
export interface SharedBucket extends Pick<Bucket, 'date' | 'again'> {
  /** As in RFC 3339; of stores with different offsets the local time `YYYY-MM-DDTHH:MM`. */
  from: string;
  to: string;
}

/** Sorts buckets by their local times. */
export function byTime(a: SharedBucket, b: SharedBucket): number {
  const [from, other] = [a.from.slice(0, 16), b.from.slice(0, 16)];
  if (from !== other) return from < other ? -1 : 1;
  return Number(a.again) - Number(b.again);
}

/** A time of two calendars, as in RFC 3339; the local time of the first, without offset, if they have different ones. */
export function sharedTime(first: string, other: string): string {
  return first === other ? first : first.slice(0, 16);
}

/** A key that buckets of different calendars share if they begin at the same local time of the same day. */
export function keyOfBucket({ date, localFrom, again }: Bucket): string {
  return `${date} ${localFrom.slice(11)}${again ? ' again' : ''}`;
}

/**
 * The same for buckets of one calendar; the key of a whole day is its date. Where clocks are set forward over its start, a
 * day begins at another local time.
 */
export function keyInCalendar(bucket: Bucket): string {
  return bucket.to - bucket.from <= lengths.hour ? keyOfBucket(bucket) : bucket.date;
}
