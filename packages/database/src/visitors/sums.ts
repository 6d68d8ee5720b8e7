import { setImmediate } from 'node:timers/promises';
import { type Bucket, byTime, type SharedBucket, sharedTime } from '@visitor-counter/domain/buckets';
import type { ComparedVisitors } from '@visitor-counter/domain/compared-total';
import { firstOf, firstOfWeek, type PeriodBucket, type WeekStart } from '@visitor-counter/domain/periods';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { notStarted } from '../devices/delivery.ts';
import { counterpartOf, type Plan } from './plan.ts';
import type { Series } from './read-series.ts';
import { addSold, type Sold, soldInCell } from './sold.ts';

/** What was counted in a bucket, of all stores together. */
export interface Sum extends SharedBucket {
  visitors: number;
  staff: number;
  out: number;
  /** Of the stores, hours and days that `before` has a number of. */
  comparable: number | null;
  /** Null if there is no such time in the compared period, or nothing was counted by then. */
  before: number | null;
  /** Some store is open in it. */
  open: boolean;
  /** Bits of why it is incomplete. A new store does not make it so: `not-started` only if none had begun when it began. */
  incomplete: number;
  sold: Sold | undefined;
}

/**
 * The sums of stores over the buckets that begin at the same local time, in order; without those of the future. Other
 * requests are answered between two stores: together they may have more than a million hours.
 */
export async function sumsOf(
  series: readonly Series[],
  bucket: PeriodBucket,
  weekStart: WeekStart = 'monday',
): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  const ofPlan = new Map<Plan, Sum[]>();
  /* Those of which some store had begun to count before the end of the first hour or day. */
  const started = new Set<Sum>();
  for (const one of series) {
    await setImmediate();
    const { plan, counts, visitors, begin } = one;
    const own = ofPlan.get(plan) ?? sumsOfPlan(plan, sums, (cell) => keyOf(cell, plan, bucket, weekStart));
    ofPlan.set(plan, own);
    for (let cell = 0; cell < plan.starts.length; cell += 1) {
      const sum = own[cell];
      if (sum === undefined) continue;
      const [came, people] = [counts.entries[cell] ?? 0, visitors[cell] ?? 0];
      sum.visitors += people;
      sum.staff += came - people;
      sum.out += counts.exits[cell] ?? 0;
      const earlier = earlierOf(one, cell);
      if (earlier !== undefined) {
        sum.before = (sum.before ?? 0) + earlier;
        sum.comparable = (sum.comparable ?? 0) + people;
      }
      sum.open ||= one.isOpen(cell);
      const isFirst = own[cell - 1] !== sum;
      if (isFirst && begin < (plan.all[cell]?.to ?? 0)) started.add(sum);
      sum.incomplete |= (one.incomplete[cell] ?? 0) & ~notStarted;
      sum.sold = addSold(sum.sold, soldInCell(one, cell));
    }
  }
  for (const sum of sums.values()) if (!started.has(sum)) sum.incomplete |= notStarted;
  return [...sums.values()].sort(byTime);
}

/** The visitors of a store in the whole period; those of new days must not look like growth. */
export function visitorsIn(one: Pick<Series, 'visitors' | 'before' | 'plan' | 'begin'>): ComparedVisitors {
  const earlier = one.visitors.map((_, cell) => earlierOf(one, cell));
  const isCompared = one.before !== undefined;
  return {
    visitors: total(one.visitors),
    comparable: isCompared ? total(one.visitors.filter((_, cell) => earlier[cell] !== undefined)) : null,
    before: isCompared ? total(earlier.map((people) => people ?? 0)) : null,
  };
}

/** The visitors in the time that a cell is compared with; undefined if there is none, or the store did not count yet. */
function earlierOf({ plan, before, begin }: Pick<Series, 'before' | 'plan' | 'begin'>, cell: number) {
  const index = counterpartOf(plan.before, cell, begin);
  return index === undefined ? undefined : before?.[index];
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

/** The sum to which each cell of a plan belongs. */
function sumsOfPlan(plan: Plan, sums: Map<string, Sum>, keyIn: (cell: Bucket) => string): Sum[] {
  const format = zonedFormatter(plan.calendar.timeZone);
  const own: Sum[] = [];
  for (const [key, cells] of Map.groupBy(plan.all, keyIn)) {
    const [first, last] = [cells[0], cells.at(-1)];
    if (first === undefined || last === undefined || own.length >= plan.starts.length) break;
    const [from, to] = [format(first.from), format(last.to)];
    const sum = sums.get(key) ?? emptySum(first, from, to);
    sum.from = sharedTime(sum.from, from);
    sum.to = sum.to < to ? sharedTime(to, sum.to) : sharedTime(sum.to, to);
    sums.set(key, sum);
    for (const _ of cells) own.push(sum);
  }
  return own;
}

function emptySum({ date, again }: Bucket, from: string, to: string): Sum {
  const people = { visitors: 0, staff: 0, out: 0, comparable: null, before: null };
  const numbers = { ...people, incomplete: 0, sold: undefined };
  return { date, from, to, again, ...numbers, open: false };
}

/** What cells of one bucket have in common. */
function keyOf(cell: Bucket, { period }: Plan, bucket: PeriodBucket, weekStart: WeekStart): string {
  const { date, localFrom, again } = cell;
  if (bucket === 'hour') return `${date} ${localFrom}${again ? ' again' : ''}`;
  if (bucket === 'day') return date;
  const first = bucket === 'week' ? firstOfWeek(date, weekStart) : firstOf(date, 'month');
  if (first < period.from) return period.from;
  return first;
}
