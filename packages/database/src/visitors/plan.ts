import {
  type Bucket,
  type BucketSize,
  bucketsOf,
  type Days,
  keyInCalendar,
  periodOf,
} from '@visitor-counter/domain/buckets';
import { type BusinessCalendar, businessDayOf, businessDayStart } from '@visitor-counter/domain/business-day';
import {
  type ComparedPeriod,
  type Comparison,
  comparedPeriod,
  type Period,
} from '@visitor-counter/domain/periods';
import { addDays, daysBetween, type IsoDate, instantOfLocal } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { type Counted, countedUntil } from '../occupancy/counted-days.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';

/** The hours or days in which stores of one calendar are counted: those of a period that have begun. */
export interface Cells extends Counted {
  readonly period: Period;
  /** All of the period. */
  readonly all: readonly Bucket[];
}

export interface Plan extends Cells {
  readonly calendar: BusinessCalendar;
  readonly today: IsoDate;
  readonly before: ComparedCells | undefined;
}

export interface ComparedCells extends Cells {
  /** The local time `YYYY-MM-DDTHH:MM` at which it ends if it ends early, because the period is not over. */
  readonly until: string | null;
  /** The index of the cell with which each cell of the period is compared; undefined if there is none. */
  readonly indexes: readonly (number | undefined)[];
}

export interface Request {
  readonly days: Days;
  readonly size: BucketSize;
  readonly compare: Comparison | 'week' | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** The first instant (epoch ms) from which the crossings of the company are kept; -Infinity if all are. */
  readonly kept: number;
  /**
   * The present business days of all stores, in all their zones: a period that ends on one of them is a
   * period to date.
   */
  readonly todays?: ReadonlySet<IsoDate>;
}

/** What is counted of stores of a calendar. */
export function planOf(calendar: BusinessCalendar, request: Request): Plan {
  const { days, size, compare, now, todays } = request;
  const today = businessDayOf(now, calendar).date;
  const period = periodOf(calendar, days, now);
  const cells = cellsOf(calendar, period, size, now + 1);
  const compared = compare && comparedPeriod(period, compare, todays?.has(period.to) ? period.to : today);
  const before = compared && comparedCells(calendar, compared, cells.all, request);
  return { calendar, today, ...cells, before };
}

/** The present business day, up to now. */
export function presentDay(calendar: BusinessCalendar, now: number): Cells {
  const { date } = businessDayOf(now, calendar);
  return cellsOf(calendar, { from: date, to: date }, 'day', now + 1);
}

/** The cells that begin before `end` (epoch ms), of which the last is counted until then. */
function cellsOf(calendar: BusinessCalendar, period: Period, size: BucketSize, end: number): Cells {
  const all = bucketsOf(calendar, period, size);
  return { period, all, ...countedUntil(all, end) };
}

function comparedCells(
  calendar: BusinessCalendar,
  compared: ComparedPeriod,
  cells: readonly Bucket[],
  { size, now, kept }: Request,
): ComparedCells {
  const { from, to, counterpart } = compared;
  const isRunning = (cells[0]?.from ?? now) <= now && (cells.at(-1)?.to ?? now) > now;
  const end = isRunning ? counterpartOfNow(calendar, compared, now) : undefined;
  const until = end && (end.at < kept ? Math.max(startOfQuarter(quarterOf(end.at)), end.dayStart) : end.at);
  const found = cellsOf(calendar, { from, to }, size, until ?? Number.POSITIVE_INFINITY);
  const indexOf = new Map(found.all.map((cell, index) => [keyInCalendar(cell), index]));
  const counterparts = new Map<IsoDate, IsoDate | undefined>();
  const indexes = cells.map((cell) => {
    if (!counterparts.has(cell.date)) counterparts.set(cell.date, counterpart(cell.date));
    const date = counterparts.get(cell.date);
    return date === undefined ? undefined : indexOf.get(keyInCalendar({ ...cell, date }));
  });
  const local = until === undefined ? null : zonedFormatter(calendar.timeZone)(until).slice(0, 16);
  return { ...found, until: local, indexes };
}

/** The index of the cell with which a cell is compared, if counting had begun (epoch ms) by its end. */
export function counterpartOf(compared: ComparedCells | undefined, cell: number, begin: number) {
  const index = compared?.indexes[cell];
  return index !== undefined && (compared?.all[index]?.to ?? 0) > begin ? index : undefined;
}

/**
 * The instant at the same local time, to the minute, of the day with which the present one is compared, and when that day
 * began (epoch ms).
 */
function counterpartOfNow(
  calendar: BusinessCalendar,
  { counterpart }: ComparedPeriod,
  now: number,
): { readonly at: number; readonly dayStart: number } | undefined {
  const today = businessDayOf(now, calendar).date;
  const date = counterpart(today);
  if (date === undefined) return undefined;
  const local = zonedFormatter(calendar.timeZone)(now);
  const localDate = addDays(local.slice(0, 10), -daysBetween(date, today));
  const instant = instantOfLocal(`${localDate}T${local.slice(11, 16)}`, calendar.timeZone, 'earlier');
  const [start, end] = [businessDayStart(date, calendar), businessDayStart(addDays(date, 1), calendar)];
  return { at: Math.min(Math.max(instant, start), end), dayStart: start };
}
