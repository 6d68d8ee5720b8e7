import type { OpenTime, Quarter } from '../data/shapes.ts';
import { hasNoData, type VisitorBucket, type Visitors } from '../data/visitors.ts';
import * as dates from '../text/dates.ts';
import { text } from '../text/text.ts';

/** A bar of the chart: a bucket of time with what is known of it. */
export interface Bar extends Omit<VisitorBucket, 'visitors'> {
  /** Below the bar, and above the values of the bar. */
  readonly label: string;
  readonly title: string;
  /** Whether it is the first of its day, where the hours of several days are shown. */
  readonly isFirst?: boolean;
  /** Null in the future, and while the store had not begun to count. */
  readonly visitors: number | null;
  /** Of the compared period, up to the end of the bar. */
  readonly ghost: number | null;
  /** Whether the bar is not over. */
  readonly isRunning: boolean;
  /** Other reasons why its number may change, or lacks people. */
  readonly reasons: readonly string[];
}

/**
 * The bars of an answer. `compared` are the hours of the whole compared days: they show what is still to come.
 * Without opening hours of today, the store is expected to be open as in the compared period.
 */
export function barsOf(
  answer: Visitors,
  compared: readonly VisitorBucket[] = [],
  openToday: readonly OpenTime[] | null = null,
): Bar[] {
  const before = new Map(moved(compared, answer).map((hour) => [localTime(hour.from), hour]));
  const counted = answer.items.map((item, index): Bar => {
    const whole = before.get(localTime(item.from));
    const isRunning = item.incomplete.includes('running');
    return {
      ...item,
      visitors: hasNoData(item) && !isRunning ? null : item.visitors,
      isRunning,
      ghost: isRunning ? (whole?.visitors ?? item.before) : item.before,
      reasons: item.incomplete.filter((reason) => reason !== 'running'),
      label: labelOf(answer, item),
      title: titleOf(answer, item, lastDay(answer, index)),
    };
  });
  return [...counted, ...stillToCome(answer, [...before.values()], openToday)];
}

/** The hours of the compared days, at the same times of the days that are compared with them. */
function moved(compared: readonly VisitorBucket[], answer: Visitors): VisitorBucket[] {
  if (answer.compared === null) return [];
  const days = (Date.parse(answer.from) - Date.parse(answer.compared.from)) / 86_400_000;
  const later = (instant: string) => dates.plusDays(instant.slice(0, 10), days) + instant.slice(10);
  return compared.map((item) => ({
    ...item,
    date: later(item.date),
    from: later(item.from),
    to: later(item.to),
  }));
}

/** Hours of two days are compared by their local times, since the offset can differ between the days. */
const localTime = (instant: string) => instant.slice(0, 16);

/** Hours of today in the future: where the store will be open, they have the numbers of the compared day. */
function stillToCome(
  answer: Visitors,
  before: readonly VisitorBucket[],
  openToday: readonly OpenTime[] | null,
): Bar[] {
  const last = answer.items.at(-1);
  if (last === undefined || !last.incomplete.includes('running')) return [];
  const later = before.filter(({ from }) => localTime(from) > localTime(last.from));
  return later.map((item) => {
    const open = openToday?.some((time) => overlap(time, item)) ?? item.open;
    return {
      ...item,
      visitors: null,
      before: null,
      ghost: open ? item.visitors : null,
      out: 0,
      staff: 0,
      conversion: null,
      open,
      isRunning: false,
      reasons: [],
      label: labelOf(answer, item),
      title: titleOf(answer, item, item.date),
    };
  });
}

/** Whether two times overlap, by their local times. */
function overlap(one: OpenTime, other: OpenTime): boolean {
  return localTime(one.from) < localTime(other.to) && localTime(other.from) < localTime(one.to);
}

function lastDay({ items, to }: Visitors, index: number): string {
  const next = items[index + 1];
  return next === undefined ? to : dates.plusDays(next.date, -1);
}

function labelOf({ bucket, items }: Visitors, { from, date }: VisitorBucket): string {
  if (bucket === 'hour') return dates.hourOf(from);
  if (bucket === 'month') return dates.shortMonth(date);
  return bucket === 'day' && items.length <= 10 ? dates.weekdayAndDay(date) : dates.shortDate(date);
}

function titleOf(answer: Visitors, item: VisitorBucket, last: string): string {
  const { bucket } = answer;
  if (bucket === 'month') return dates.monthAndYear(item.date);
  if (bucket === 'week') return dates.period(item.date, last);
  return bucket === 'day' ? dates.dateWithWeekday(item.date) : hourTitle(answer, item);
}

/** An hour of an answer, with its day if there are several, and which one it is if two have the same time. */
export function hourTitle({ items }: Visitors, { from, to, date }: VisitorBucket): string {
  const other = items.find(
    (item) => item.date === date && item.from !== from && localTime(item.from) === localTime(from),
  );
  const { before, after } = text.chart.clockChange;
  return [
    ...(items.every((item) => item.date === date) ? [] : [dates.dateWithWeekday(date)]),
    dates.timeSpan(from, to),
    ...(other ? [Date.parse(from) < Date.parse(other.from) ? before : after] : []),
  ].join(', ');
}

/**
 * The bars that are shown. Closed hours are folded, including the present one and hours in which people came,
 * unless the store was closed all the time. Without opening hours, hours before the first and after the last
 * people are left out. So are days, weeks and months before the first people, unless they are few: the store
 * did not count yet.
 */
export function folded(bars: readonly Bar[], bucket: Visitors['bucket']): Bar[] {
  const first = Math.max(0, bars.findIndex(hasPeople));
  if (bucket !== 'hour') return bars.slice(first > 3 ? first : 0);
  const open = bars.filter((bar) => bar.open);
  if (open.length > 0 && open.length < bars.length) return open;
  return bars.slice(first, bars.findLastIndex(hasPeople) + 1);
}

/** Hours of several days, where the first hour that is shown of a day has its name instead of the hour. */
export function withDays(hours: readonly Bar[]): Bar[] {
  const days = new Set(hours.map(({ date }) => date));
  if (days.size < 2) return [...hours];
  return hours.map((bar, index) =>
    hours[index - 1]?.date === bar.date
      ? bar
      : { ...bar, label: dates.weekdayAndDay(bar.date), isFirst: true },
  );
}

/** Whether people came, or may have come, in this time or in the compared period. */
export function hasPeople({ isRunning, visitors, ghost, out, reasons }: Bar): boolean {
  const hasGap = visitors !== null && reasons.length > 0;
  return isRunning || Boolean(visitors) || Boolean(ghost) || out > 0 || hasGap;
}

/** The quarter hours in the time of a bar that has begun; each has the people inside at its end. */
export function quartersOf(bar: Bar, quarters: readonly Quarter[]): Quarter[] {
  if (bar.visitors === null) return [];
  const [begin, end] = [Date.parse(bar.from), Date.parse(bar.to)];
  return quarters.filter(({ from, to }) => Date.parse(from) >= begin && Date.parse(to) <= end);
}
