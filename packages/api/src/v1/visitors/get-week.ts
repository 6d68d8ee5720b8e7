import { type Sum, sumsOf } from '@visitor-counter/database/visitors/sums';
import { dayOfWeek } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { count, orNull } from '../routing/shapes.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { periodQuery, readVisitors, storesQuery } from './requests.ts';

const weekday = Type.Integer({
  description: 'That of the business day: 1 is Monday, 7 is Sunday.',
  minimum: 1,
  maximum: 7,
});
const hour = Type.Integer({ description: 'The local hour in which it begins.', minimum: 0, maximum: 23 });
const average = Type.Number({ description: 'Visitors on average.' });

const hourShape = Type.Object(
  {
    weekday,
    hour,
    days: count('Complete hours with an open store that it is the average of.'),
    visitors: orNull(average),
    open: Type.Boolean({ description: 'Whether a store is open in one of them.' }),
  },
  { $id: 'VisitorsOfWeekHour' },
);

/** The average visitors of each hour of the week. */
export const getVisitorsByWeek = route(
  {
    ...report,
    path: '/v1/visitors/week',
    summary: 'Average visitors by weekday and hour',
    query: Type.Object({ ...storesQuery, ...periodQuery }),
    answer: Type.Object({
      items: Type.Array(hourShape),
      peak: orNull(Type.Object({ weekday, hour, visitors: average })),
      peakHour: orNull(Type.Object({ hour, visitors: average })),
    }),
    columns: columnsOf(hourShape),
  },
  async (request, resources) =>
    readReport(request, resources, async (db, stores, now) => {
      const { from, to } = request.query;
      const requested = { days: { from, to }, size: 'hour', compare: undefined, now } as const;
      const series = await readVisitors(db, stores, requested);
      return weekOf(await sumsOf(series, 'hour'));
    }),
);

/** The hours of the week, and the busiest ones. */
function weekOf(hours: readonly Sum[]) {
  const items = [...Map.groupBy(hours, ({ date, from }) => 24 * dayOfWeek(date) + hourOf(from))]
    .sort(([a], [b]) => a - b)
    .map(([key, some]) => ({
      weekday: Math.floor(key / 24),
      hour: key % 24,
      ...averageOf(some),
      open: some.some(({ open }) => open),
    }));
  const byHour = [...Map.groupBy(hours, ({ from }) => hourOf(from))].map(([key, some]) => ({
    hour: key,
    ...averageOf(some),
  }));
  const peak = busiest(items);
  const peakHour = busiest(byHour);
  return {
    items,
    peak: peak && { weekday: peak.weekday, hour: peak.hour, visitors: peak.visitors },
    peakHour: peakHour && { hour: peakHour.hour, visitors: peakHour.visitors },
  };
}

function hourOf(time: string): number {
  return Number(time.slice(11, 13));
}

/** The average over days; an hour that a day has twice counts once, with both. */
function averageOf(hours: readonly Sum[]): { readonly days: number; readonly visitors: number | null } {
  const counted = [...Map.groupBy(hours, ({ date }) => date).values()].filter((some) =>
    some.every(({ open, incomplete }) => open && incomplete === 0),
  );
  const sum = counted.flat().reduce((total, { visitors }) => total + visitors, 0);
  const average = Math.round((10 * sum) / counted.length) / 10;
  return { days: counted.length, visitors: counted.length > 0 ? average : null };
}

function busiest<Item extends { readonly visitors: number | null }>(items: readonly Item[]) {
  const counted = items.flatMap((item) =>
    item.visitors === null || item.visitors === 0 ? [] : [{ ...item, visitors: item.visitors }],
  );
  return counted.toSorted((a, b) => b.visitors - a.visitors)[0] ?? null;
}
