import type { Opening } from '../data/shapes.ts';
import type { VisitorBucket, Visitors } from '../data/visitors.ts';
import * as dates from '../text/dates.ts';

/** A bar of the chart: a bucket of time with what is known of it. */
export interface Bar {
  /** The business day on which it begins. */
  readonly date: string;
  readonly from: string;
  readonly to: string;
  /** Below the bar, and above the values of the bar. */
  readonly label: string;
  readonly title: string;
  /** Whether it is the first of its day, where the hours of several days are shown. */
  readonly isFirst?: boolean;
  /** Null in the future. */
  readonly visitors: number | null;
  /** Of the compared period, up to the same minute if the bar is not over; null if there is nothing to compare with. */
  readonly before: number | null;
  /** Of the compared period, up to the end of the bar. */
  readonly ghost: number | null;
  readonly out: number;
  readonly staff: number;
  readonly isOpen: boolean;
  /** Whether the bar is not over. */
  readonly isRunning: boolean;
  /** Other reasons why its number may change, or lacks people. */
  readonly reasons: readonly string[];
}

/**
 * The bars of an answer. `compared` are the hours of the whole compared days: they show what is still to come, where the store
 * will be open. `opening` is that of the store now, if it is known.
 */
export function barsOf(
  answer: Visitors,
  compared: readonly VisitorBucket[] = [],
  opening: Opening | undefined = undefined,
): Bar[] {
  const before = moved(compared, answer);
  const counted = answer.items.map((item, index): Bar => {
    const whole = before.find((other) => isSameHour(other, item));
    const isRunning = item.incomplete.includes('running');
    return {
      ...{ date: item.date, from: item.from, to: item.to, visitors: item.visitors, before: item.before },
      ...{ out: item.out, staff: item.staff, isOpen: item.open, isRunning },
      ghost: isRunning ? (whole?.visitors ?? item.before) : item.before,
      reasons: item.incomplete.filter((reason) => reason !== 'running'),
      label: labelOf(answer, item),
      title: titleOf(answer, item, lastDay(answer, index)),
    };
  });
  return [...counted, ...stillToCome(answer, before, opening)];
}

/** The hours of the compared days, at the same times of the days that are compared with them. */
function moved(compared: readonly VisitorBucket[], answer: Visitors): VisitorBucket[] {
  if (answer.compared === null) return [];
  const days = (Date.parse(answer.from) - Date.parse(answer.compared.from)) / 86_400_000;
  const later = (instant: string) => dates.plusDays(instant.slice(0, 10), days) + instant.slice(10);
  return compared.map((item) => ({
    ...{ ...item, date: later(item.date), from: later(item.from), to: later(item.to) },
  }));
}

/** Local times are compared: the offset can differ between the days. */
function isSameHour(one: VisitorBucket, other: VisitorBucket): boolean {
  return one.from.slice(0, 16) === other.from.slice(0, 16);
}

/**
 * Hours of today in the future: they have only the numbers of the compared day. They are open as that day was. Those before a
 * closed store opens are left out.
 */
function stillToCome(
  answer: Visitors,
  before: readonly VisitorBucket[],
  opening: Opening | undefined,
): Bar[] {
  const last = answer.items.at(-1);
  if (last === undefined || !last.incomplete.includes('running')) return [];
  const position = before.findIndex((item) => isSameHour(item, last));
  if (position === -1) return [];
  return before
    .slice(position + 1)
    .filter(({ to }) => !isClosedUntil(to, opening))
    .map((item) => ({
      ...{
        date: item.date,
        from: item.from,
        to: item.to,
        visitors: null,
        before: null,
        ghost: item.visitors,
      },
      ...{ out: 0, staff: 0, isOpen: item.open, isRunning: false, reasons: [] },
      label: labelOf(answer, item),
      title: titleOf(answer, item, item.date),
    }));
}

/** Whether a store that is closed now will not have opened before an instant. */
function isClosedUntil(instant: string, opening: Opening | undefined): boolean {
  if (opening?.open !== false) return false;
  const { opensOn, opensAt } = opening;
  return opensOn === null || opensAt === null || instant.slice(0, 16) <= `${opensOn}T${opensAt}`;
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

function titleOf({ bucket, items }: Visitors, { from, to, date }: VisitorBucket, last: string): string {
  if (bucket === 'month') return dates.monthAndYear(date);
  if (bucket === 'week') return dates.period(date, last);
  if (bucket === 'day') return dates.dateWithWeekday(date);
  const span = dates.timeSpan(from, to);
  const isOneDay = items.every((item) => item.date === date);
  return isOneDay ? span : `${dates.dateWithWeekday(date)}, ${span}`;
}

/**
 * The bars that are shown. Closed hours are folded, also the present one, and also if people came then, unless the store was
 * closed all the time. Without opening hours, hours before the first and after the last people are left out, and of days, weeks
 * and months those before the first people, unless they are few: nobody counted there yet.
 */
export function folded(bars: readonly Bar[], bucket: Visitors['bucket']): Bar[] {
  const first = Math.max(0, bars.findIndex(hasPeople));
  if (bucket !== 'hour') return bars.slice(first > 3 ? first : 0);
  const open = bars.filter(({ isOpen }) => isOpen);
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

/** Whether anybody was there, also in the compared period, or may have been. */
export function hasPeople({ isRunning, visitors, ghost, out, reasons }: Bar): boolean {
  return isRunning || Boolean(visitors) || Boolean(ghost) || out > 0 || reasons.length > 0;
}
