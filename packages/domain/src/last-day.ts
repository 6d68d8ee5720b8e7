import { addDays, type IsoDate } from './time-zone.ts';

/* What can be said of the last full day in one sentence. It says nothing rather than something doubtful. */

/** A business day of a store that is over. */
export interface FullDay {
  readonly visitors: number;
  /** With staff. */
  readonly in: number;
  readonly out: number;
  readonly isOpen: boolean;
  /** Whether it has other opening hours than usual, as holidays have. */
  readonly isHoliday: boolean;
  readonly isComplete: boolean;
}

export interface StoreDays<Store> {
  readonly store: Store;
  /** What the last checks of its doors found, of people who came in; undefined if there was none. */
  readonly checked?: Checked | undefined;
  readonly days: ReadonlyMap<IsoDate, FullDay>;
}

/** How many people somebody saw come in, and how many of them were counted. */
export interface Checked {
  readonly observed: number;
  readonly counted: number;
}

/** From the lowest to the highest number of the last eight days of this weekday. */
interface Normal {
  readonly low: number;
  readonly high: number;
}

interface StoreOnLastDay<Store> {
  readonly store: Store;
  readonly visitors: number;
  readonly normal: Normal;
}

export interface LastDay<Store> {
  readonly date: IsoDate;
  /** Of the stores about which something can be said. */
  readonly visitors: number;
  readonly normal: Normal;
  readonly stores: number;
  /** How many others were open. */
  readonly leftOut: number;
  /** The store that differs most from what is normal for it; undefined if none does. */
  readonly unusual: StoreOnLastDay<Store> | undefined;
  /** How far the visitors may be wrong, as a ratio: half of the difference between in and out, or what checks found. */
  readonly error: number;
}

/** How many days of the weekday are compared, and within how many weeks. */
const compared = 8;
export const mostWeeks = 16;
/** How many days back the last full day may be: stores are closed on Sundays and holidays. */
export const mostDaysBack = 7;
/** Fewer people make no judgement. */
const fewPeople = 100;
/** Where in and out differ by more than this part of in, a number is doubtful. */
const mostDifference = 0.2;

interface Judged<Store> extends StoreOnLastDay<Store> {
  readonly day: FullDay;
  readonly checked: Checked | undefined;
  /** The visitors of the days that it is compared with, the latest first. */
  readonly before: readonly number[];
}

/** What can be said of the last day on which one of the stores was open; `last` is over in all of them. */
export function lastDayOf<Store>(
  stores: readonly StoreDays<Store>[],
  last: IsoDate,
): LastDay<Store> | undefined {
  const dates = Array.from({ length: mostDaysBack }, (_, n) => addDays(last, -n));
  const date = dates.find((one) => stores.some(({ days }) => days.get(one)?.isOpen));
  if (date === undefined) return undefined;
  const open = stores.filter(({ days }) => days.get(date)?.isOpen);
  const judged = open.flatMap((one) => judgedOn(one, date) ?? []);
  if (2 * judged.length <= open.length) return undefined;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const visitors = sum(judged.map((one) => one.visitors));
  if (visitors < fewPeople) return undefined;
  const sums = Array.from({ length: compared }, (_, n) => sum(judged.map(({ before }) => before[n] ?? 0)));
  return {
    date,
    visitors,
    normal: rangeOf(sums),
    stores: judged.length,
    leftOut: open.length - judged.length,
    unusual: judged.length > 1 ? mostUnusual(judged) : undefined,
    error: sum(judged.map(wrongOf)) / Math.max(1, sum(judged.map(({ day }) => day.in))),
  };
}

/** A store on a date; undefined if its number, or what is normal for it, is doubtful. */
function judgedOn<Store>(
  { store, checked, days }: StoreDays<Store>,
  date: IsoDate,
): Judged<Store> | undefined {
  const day = days.get(date);
  if (day === undefined || !isOrdinary(day)) return undefined;
  if (Math.abs(day.in - day.out) > mostDifference * day.in) return undefined;
  const earlier = Array.from({ length: mostWeeks }, (_, n) => days.get(addDays(date, -7 * (n + 1))));
  const before = earlier.flatMap((one) => (one && isOrdinary(one) ? [one.visitors] : [])).slice(0, compared);
  if (before.length < compared) return undefined;
  return { store, day, checked, visitors: day.visitors, before, normal: rangeOf(before) };
}

/** How many people too many or too few may have been counted: the larger of what in and out, and what checks, show. */
function wrongOf<Store>({ day, checked = { observed: 0, counted: 0 } }: Judged<Store>): number {
  const { observed, counted } = checked;
  const found = observed < fewPeople ? 0 : Math.abs(counted / observed - 1);
  return Math.max(Math.abs(day.in - day.out) / 2, found * day.in);
}

function isOrdinary({ isOpen, isHoliday, isComplete }: FullDay): boolean {
  return isOpen && !isHoliday && isComplete;
}

function rangeOf(numbers: readonly number[]): Normal {
  return { low: Math.min(...numbers), high: Math.max(...numbers) };
}

/** The store that is farthest outside of what is normal for it, as a ratio. */
function mostUnusual<Store>(judged: readonly Judged<Store>[]): StoreOnLastDay<Store> | undefined {
  const distanceOf = ({ visitors, normal: { low, high } }: Judged<Store>) => {
    if (Math.max(visitors, low) < fewPeople) return 0;
    return Math.max(low - visitors, visitors - high, 0) / Math.max(1, visitors > high ? high : low);
  };
  const [most] = judged.toSorted((a, b) => distanceOf(b) - distanceOf(a));
  if (most === undefined || distanceOf(most) === 0) return undefined;
  return { store: most.store, visitors: most.visitors, normal: most.normal };
}
