import type { VisitorBucket, Visitors } from '../data/visitors.ts';
import * as dates from '../text/dates.ts';

/** A bar of the chart: a bucket of time with what is known of it. */
export interface Bar {
  readonly from: string;
  readonly to: string;
  /** Below the bar, and above the values of the bar. */
  readonly label: string;
  readonly title: string;
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
 * The bars of an answer. `compared` are the buckets of the whole compared day, by hour: they show what is still to come.
 */
export function barsOf(answer: Visitors, compared: readonly VisitorBucket[] = []): Bar[] {
  const counted = answer.items.map((item, index): Bar => {
    const last = lastDay(answer, index);
    const whole = compared.find(({ from }) => from.slice(11, 16) === item.from.slice(11, 16));
    const isRunning = item.incomplete.includes('running');
    return {
      ...{ from: item.from, to: item.to, visitors: item.visitors, before: item.before },
      ...{ out: item.out, staff: item.staff, isOpen: item.open, isRunning },
      ghost: isRunning ? (whole?.visitors ?? item.before) : item.before,
      reasons: item.incomplete.filter((reason) => reason !== 'running'),
      label: labelOf(answer, item),
      title: titleOf(answer, item, last),
    };
  });
  return [...counted, ...stillToCome(answer, compared)];
}

/** Hours of today in the future: they have only the numbers of the compared period. */
function stillToCome(answer: Visitors, compared: readonly VisitorBucket[]): Bar[] {
  const last = answer.items.at(-1);
  if (last === undefined || !last.incomplete.includes('running')) return [];
  const position = compared.findIndex(({ from }) => from.slice(11, 16) === last.from.slice(11, 16));
  if (position === -1) return [];
  return compared.slice(position + 1).map((item) => ({
    ...{ from: item.from, to: item.to, visitors: null, before: null, ghost: item.visitors },
    ...{ out: 0, staff: 0, isOpen: item.open, isRunning: false, reasons: [] },
    label: labelOf(answer, item),
    title: dates.timeSpan(item.from, item.to),
  }));
}

function lastDay({ items, to }: Visitors, index: number): string {
  const next = items[index + 1];
  return next === undefined ? to : dates.plusDays(next.date, -1);
}

function labelOf({ bucket, items }: Visitors, { from, date }: VisitorBucket): string {
  if (bucket === 'hour') {
    const isNewDay = items.length > 25 && items.find((item) => item.date === date)?.from === from;
    return isNewDay ? dates.weekdayAndDay(date) : dates.hourOf(from);
  }
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
 * The bars that are shown. Closed hours are folded, also if people came then, unless the store was closed all the time. Without
 * opening hours, hours before the first and after the last people are left out, and of days, weeks and months those before
 * the first people, unless they are few: nobody counted there yet. The current bar is always shown.
 */
export function folded(bars: readonly Bar[], bucket: Visitors['bucket']): Bar[] {
  const first = Math.max(0, bars.findIndex(hasPeople));
  if (bucket !== 'hour') return bars.slice(first > 3 ? first : 0);
  const open = bars.filter(({ isOpen, isRunning }) => isOpen || isRunning);
  if (open.length < bars.length && open.some(({ isOpen }) => isOpen)) return open;
  return bars.slice(first, bars.findLastIndex(hasPeople) + 1);
}

/** Whether anybody was there, also in the compared period, or may have been. */
export function hasPeople({ isRunning, visitors, ghost, out, reasons }: Bar): boolean {
  return isRunning || Boolean(visitors) || Boolean(ghost) || out > 0 || reasons.length > 0;
}
