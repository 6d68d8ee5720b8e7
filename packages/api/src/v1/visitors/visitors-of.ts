import { healthOf } from '@visitor-counter/database/devices/store-devices';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { namesOf } from '@visitor-counter/database/visitors/incomplete';
import { readOpening } from '@visitor-counter/database/visitors/opening';
import type { Series } from '@visitor-counter/database/visitors/read-series';
import { addSold, readSold } from '@visitor-counter/database/visitors/read-sold';
import { type Sum, sumsOf } from '@visitor-counter/database/visitors/sums';
import { amountText } from '@visitor-counter/domain/amount';
import { periodOf } from '@visitor-counter/domain/buckets';
import { nameKey } from '@visitor-counter/domain/name-key';
import { lengthOf, type Period, usualBucket } from '@visitor-counter/domain/periods';
import { utcText } from '@visitor-counter/domain/time';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Static } from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { completenessItem } from '../stores/occupancy.ts';
import { readVisitors } from './read-visitors.ts';
import type { visitorsQuery } from './shapes.ts';

/** The most buckets in an answer. */
const mostBuckets = 10_000;

/** The visitors of stores that the caller may see, as `/v1/visitors` answers. `db` must be a snapshot. */
export async function visitorsOf(
  db: Reader,
  stores: readonly StoreFacts[],
  requested: Static<typeof visitorsQuery>,
  now: number,
) {
  const { store, weekStart = 'monday', compare } = requested;
  const days = { from: requested.from, to: requested.to };
  const calendars = stores.length > 0 ? stores.map(({ calendar }) => calendar) : [utc];
  const period = union(calendars.map((calendar) => periodOf(calendar, days, now)));
  const bucket = requested.bucket ?? usualBucket(period);
  if (lengthOf(period) * (bucket === 'hour' ? 24 : 1) > mostBuckets) throw rangeTooLarge(mostBuckets);
  const size = bucket === 'hour' ? 'hour' : 'day';
  const series = await readVisitors(db, stores, { days, size, compare, now });
  const [opening, soldOf] = [await readOpening(db, stores), await readSold(db, series)];
  const options = { weekStart, opening, soldOf, now };
  const byDay = sumsOf(series, { ...options, bucket: 'day' });
  const sums = bucket === 'day' ? byDay : sumsOf(series, { ...options, bucket });
  const format = store === undefined ? undefined : zonedFormatter(stores[0]?.calendar.timeZone ?? 'UTC');
  return {
    ...{
      store: store === undefined ? null : (stores[0]?.sid ?? null),
      group: groupName(stores, requested.group),
    },
    ...{ bucket, ...period, compared: comparedOf(series) },
    ...{ total: totalOf(series, byDay), days: daysOf(byDay), items: sums.map((sum) => itemOf(sum, format)) },
    ...completenessItem(
      healthOf(
        series.map(({ devices }) => devices),
        now,
      ),
      format ?? utcText,
    ),
  };
}

const utc = { timeZone: 'UTC', dayStartsAt: '00:00' };

function union(periods: readonly Period[]): Period {
  return {
    from: periods.map(({ from }) => from).sort()[0] ?? '',
    to:
      periods
        .map(({ to }) => to)
        .sort()
        .at(-1) ?? '',
  };
}

/** The name as it is stored. */
function groupName(stores: readonly StoreFacts[], group: string | undefined): string | null {
  if (group === undefined) return null;
  const names = stores.flatMap(({ groups }) => groups);
  return names.find((name) => nameKey(name) === nameKey(group)) ?? group;
}

function comparedOf(series: readonly Series[]) {
  const compared = series.flatMap(({ plan }) => plan.before ?? []);
  if (compared.length === 0) return null;
  const untils = compared.flatMap(({ until }) => until ?? []);
  return { ...union(compared.map(({ period }) => period)), until: untils.sort().at(-1) ?? null };
}

function totalOf(series: readonly Series[], days: readonly Sum[]) {
  const sum = (of: (day: Sum) => number) => days.reduce((total, day) => total + of(day), 0);
  const before = series.flatMap((one) => one.before ?? []);
  const visitors = sum((day) => day.visitors);
  const incomplete = days.reduce((bits, day) => bits | day.incomplete, 0);
  return {
    ...{ visitors, out: sum(({ out }) => out), staff: sum(({ staff }) => staff) },
    before: series.some((one) => one.before) ? before.reduce((total, one) => total + one, 0) : null,
    ...salesItem({
      visitors,
      incomplete,
      sold: days.reduce<Sum['sold']>((all, { sold }) => addSold(all, sold), undefined),
    }),
  };
}

/** The average and the best of the complete days on which a store was open and had begun to count. */
function daysOf(days: readonly Sum[]) {
  const counted = days.filter(({ open, known, incomplete }) => open && known && incomplete === 0);
  const best = counted.toSorted((a, b) => b.visitors - a.visitors)[0];
  const sum = counted.reduce((total, { visitors }) => total + visitors, 0);
  return {
    average: counted.length > 0 ? Math.round((10 * sum) / counted.length) / 10 : null,
    best: best ? { date: best.date, visitors: best.visitors } : null,
    counted: counted.length,
  };
}

function itemOf(sum: Sum, format: ((instant: number) => string) | undefined) {
  const { date, visitors, out, staff, before: earlier, open } = sum;
  return {
    ...{ date, from: format ? format(sum.from) : sum.localFrom, to: format ? format(sum.to) : sum.localTo },
    ...{ visitors, out, staff, before: earlier, open, incomplete: namesOf(sum.incomplete) },
    ...salesItem(sum),
  };
}

function salesItem({ visitors, incomplete, sold }: Pick<Sum, 'visitors' | 'incomplete' | 'sold'>) {
  const isKnown = sold !== undefined && visitors > 0 && incomplete === 0;
  return {
    transactions: sold?.transactions ?? null,
    amount: sold ? amountText(sold.amount) : null,
    conversion: isKnown ? Math.round((10_000 * sold.transactions) / visitors) / 10_000 : null,
  };
}
