import { namesOf, notStarted } from '@visitor-counter/database/devices/delivery';
import { completenessOfStores } from '@visitor-counter/database/devices/store-devices';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import type { Series } from '@visitor-counter/database/visitors/read-series';
import { addSold, salesItem, soldIn } from '@visitor-counter/database/visitors/sold';
import { type Sum, sumsOf, visitorsIn } from '@visitor-counter/database/visitors/sums';
import { periodOf } from '@visitor-counter/domain/buckets';
import { comparedTotal } from '@visitor-counter/domain/compared-total';
import { lengthOf, type Period, usualBucket } from '@visitor-counter/domain/periods';
import { utcText } from '@visitor-counter/domain/time';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Static } from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { completenessItem } from '../stores/completeness.ts';
import { groupOf } from '../stores/requested-stores.ts';
import { readVisitors, type visitorsQuery } from './requests.ts';

/** The most hours or days in an answer; weeks and months are sums of days. */
const mostTimes = 10_000;

/** The visitors of stores that the caller may see, as `/v1/visitors` answers. `db` must be a snapshot. */
export async function visitorsOf(
  db: Db,
  stores: readonly StoreFacts[],
  requested: Static<typeof visitorsQuery>,
  now: number,
) {
  const { store, weekStart, compare } = requested;
  const days = { from: requested.from, to: requested.to };
  const calendars = stores.length > 0 ? stores.map(({ calendar }) => calendar) : [utc];
  const period = union(calendars.map((calendar) => periodOf(calendar, days, now)));
  const bucket = requested.bucket ?? usualBucket(period);
  const size = bucket === 'hour' ? 'hour' : 'day';
  if (lengthOf(period) * (size === 'hour' ? 24 : 1) > mostTimes) throw rangeTooLarge(mostTimes, `${size}s`);
  const series = await readVisitors(db, stores, { days, size, compare, now });
  const byDay = await sumsOf(series, 'day');
  const sums = bucket === 'day' ? byDay : await sumsOf(series, bucket, weekStart);
  const format = store === undefined ? undefined : zonedFormatter(stores[0]?.calendar.timeZone ?? 'UTC');
  return {
    store: store === undefined ? null : (stores[0]?.sid ?? null),
    name: store === undefined ? null : (stores[0]?.name ?? null),
    group: requested.group === undefined ? null : groupOf(stores, requested.group),
    bucket,
    ...period,
    compared: comparedOf(series),
    total: totalOf(series, byDay),
    days: daysOf(byDay),
    items: sums.map(itemOf),
    ...completenessItem(
      completenessOfStores(
        series.map(({ devices }) => devices),
        now,
      ),
      format ?? utcText,
    ),
  };
}

const utc = { timeZone: 'UTC', dayStartsAt: '00:00' };

export function union(periods: readonly Period[]): Period {
  return {
    from: periods.map(({ from }) => from).sort()[0] ?? '',
    to:
      periods
        .map(({ to }) => to)
        .sort()
        .at(-1) ?? '',
  };
}

export function comparedOf(series: readonly Series[]) {
  const compared = series.flatMap(({ plan }) => plan.before ?? []);
  if (compared.length === 0) return null;
  const untils = compared.flatMap(({ until }) => until ?? []);
  return { ...union(compared.map(({ period }) => period)), until: untils.sort().at(-1) ?? null };
}

function totalOf(series: readonly Series[], days: readonly Sum[]) {
  const sum = (of: (day: Sum) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    ...comparedTotal(series.map(visitorsIn)),
    out: sum(({ out }) => out),
    staff: sum(({ staff }) => staff),
    ...salesItem(series.map(soldIn).reduce(addSold, undefined)),
  };
}

/** The average and the best of the complete days on which a store was open and had begun to count. */
function daysOf(days: readonly Sum[]) {
  const counted = days.filter(({ open, incomplete }) => open && incomplete === 0);
  const best = counted.toSorted((a, b) => b.visitors - a.visitors)[0];
  const sum = counted.reduce((total, { visitors }) => total + visitors, 0);
  return {
    average: counted.length > 0 ? Math.round((10 * sum) / counted.length) / 10 : null,
    best: best ? { date: best.date, visitors: best.visitors } : null,
    counted: counted.length,
    begun: days.length,
    recorded: days.filter(({ incomplete }) => (incomplete & notStarted) === 0).length,
  };
}

function itemOf(sum: Sum) {
  const { date, from, to, visitors, out, staff, comparable, before, open } = sum;
  return {
    date,
    from,
    to,
    visitors,
    out,
    staff,
    comparable,
    before,
    open,
    incomplete: namesOf(sum.incomplete),
    ...salesItem(sum.sold),
  };
}
