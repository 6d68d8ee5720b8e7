import { latestResults } from '@visitor-counter/database/accuracy/audits';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openingHoursOf } from '@visitor-counter/database/stores/hours-and-staff';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import type { Series } from '@visitor-counter/database/visitors/read-series';
import { businessDayOf, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import {
  type Checked,
  type FullDay,
  lastDayOf,
  mostDaysBack,
  mostWeeks,
  type StoreDays,
} from '@visitor-counter/domain/last-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { route } from '../routing/route.ts';
import { count, date, orNull, text } from '../routing/shapes.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { readVisitors, storesQuery } from './requests.ts';

const visitors = count('People who came in, without declared staff.');
const normal = Type.Object(
  { low: count('The lowest of them.'), high: count('The highest.') },
  { description: 'What is normal: the last eight days of this weekday that were complete and no holidays.' },
);
const dayShape = Type.Object({
  date: date('The business day, which is over in every store.'),
  visitors,
  normal,
  stores: count('Stores of which these are the visitors.'),
  leftOut: count(
    'Stores that were open, of which a number is incomplete or doubtful, or whose history is too short.',
  ),
  unusual: orNull(
    Type.Object(
      { store: text('Store id.'), name: text('Its name.'), visitors, normal },
      { description: 'The store that is farthest outside of what is normal for it.' },
    ),
  ),
  error: Type.Number({
    description:
      'How far the visitors may be wrong, as a ratio: half of the difference between in and out, or what the last checks of doors found if that is more.',
  }),
});

/** What can be said of the last full day. */
export const getLastDay = route(
  {
    ...report,
    path: '/v1/visitors/last-day',
    summary: 'The last full day, and whether it was normal for its weekday',
    query: Type.Object(storesQuery),
    answer: Type.Object({
      day: orNull(dayShape),
    }),
  },
  async (request, resources) =>
    readReport(request, resources, async (db, stores, now) => {
      const todayOf = onceForEachCalendar((calendar) => businessDayOf(now, calendar).date);
      const [today] = stores.map(({ calendar }) => todayOf(calendar)).sort();
      if (today === undefined) return { day: null };
      const last = addDays(today, -1);
      const days = { from: addDays(last, -7 * mostWeeks - mostDaysBack), to: last };
      const series = await readVisitors(db, stores, { days, size: 'day', compare: undefined, now });
      const hours = await openingHoursOf(
        db,
        stores.map(({ id }) => id),
      );
      const checkedIn = await checkedOf(db, series);
      const daysOf = (one: Series): StoreDays<StoreFacts> => {
        const { store, plan, counts, visitors, incomplete, begin } = one;
        const holidays = new Set(hours.get(store.id)?.exceptions.map(({ date }) => date));
        const days = plan.all.map(({ date, from }, cell): [string, FullDay] => [
          date,
          {
            visitors: visitors[cell] ?? 0,
            in: counts.entries[cell] ?? 0,
            out: counts.exits[cell] ?? 0,
            isOpen: one.isOpen(cell),
            isHoliday: holidays.has(date),
            isComplete: incomplete[cell] === 0 && begin <= from,
          },
        ]);
        return { store, checked: checkedIn.get(store.id), days: new Map(days) };
      };
      const day = lastDayOf(series.map(daysOf), last);
      const unusual = day?.unusual;
      const named = unusual && { ...unusual, store: unusual.store.sid, name: unusual.store.name };
      return { day: day ? { ...day, unusual: named ?? null } : null };
    }),
);

/** What the last checks of the doors of stores found together, by the id of the store. */
async function checkedOf(db: Db, series: readonly Series[]): Promise<Map<number, Checked>> {
  const devices = series.flatMap((one) => one.devices.devices.map(({ id }) => id));
  const audits = [...(await latestResults(db, devices)).values()];
  const ofStores = Map.groupBy(audits, ({ storeId }) => storeId);
  return new Map(
    [...ofStores].map(([store, found]) => [
      store,
      {
        observed: found.reduce((sum, { entries }) => sum + (entries?.observed ?? 0), 0),
        counted: found.reduce((sum, { entries }) => sum + (entries?.counted ?? 0), 0),
      },
    ]),
  );
}
