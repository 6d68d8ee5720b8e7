import { namesOf } from '@visitor-counter/database/devices/delivery';
import { completenessOfStores } from '@visitor-counter/database/devices/store-devices';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { Series } from '@visitor-counter/database/visitors/read-series';
import { addSold, salesItem, soldIn } from '@visitor-counter/database/visitors/sold';
import { visitorsIn } from '@visitor-counter/database/visitors/sums';
import { comparedTotal } from '@visitor-counter/domain/compared-total';
import { visitorWordsOf } from '@visitor-counter/domain/visitor-words';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { visitorsSheet } from '@visitor-counter/spreadsheet/visitors-sheet';
import Type, { type Static } from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { count, date, groupFilter, orNull, text } from '../routing/shapes.ts';
import { completenessItem, completenessShape, incompleteShape } from '../stores/completeness.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { openingShape } from '../stores/stores.ts';
import { compared, periodShape, sales } from './get-visitors.ts';
import { comparableVisitors, compareQuery, periodQuery, readVisitors } from './requests.ts';
import { comparedOf, union } from './visitors-of.ts';

const before = orNull(count('Visitors in the compared period; null: nothing was counted by then.'));
const visitors = count('People who came in, without declared staff.');

const storeShape = Type.Object(
  {
    store: text('Store id.'),
    name: text('Name of the store.'),
    groups: Type.Array(Type.String(), { description: 'Shop groups that it is in.' }),
    from: date('The first business day. Without dates it is the present one of each store.'),
    to: date('The last business day.'),
    days: count('Business days of the period that have begun.'),
    recorded: count('Those of them on which the store had begun to count.'),
    visitors,
    out: count('People who went out.'),
    comparable: comparableVisitors,
    before,
    occupancy: count('People inside now.'),
    capacity: orNull(count('Capacity of the store in people.')),
    incomplete: incompleteShape,
    ...sales,
    ...openingShape,
    completeUntil: completenessShape.completeUntil,
  },
  { $id: 'VisitorsOfStore' },
);

const answer = Type.Object({
  ...periodShape,
  compared,
  items: Type.Array(storeShape),
  total: Type.Object({ visitors, comparable: comparableVisitors, before, ...sales }),
});

/** Each line has the name of the store. */
function sheet({ from, to, compared, items, total }: Static<typeof answer>, locale: string) {
  const words = visitorWordsOf(locale);
  const names = [
    { title: words.store, kind: 'text', width: 28 },
    { title: words.storeNumber, kind: 'text' },
  ] as const;
  const lines = items.map((one) => ({
    ...one,
    comparable: one.before === null ? null : one.visitors,
    names: [one.name, one.store],
  }));
  return visitorsSheet({ names, period: { from, to }, compared, lines, total }, words);
}

/** The visitors of each store, and how it is now. */
export const getVisitorsByStore = route(
  {
    ...report,
    path: '/v1/visitors/stores',
    summary: 'Visitors by store',
    query: Type.Object({ group: groupFilter, ...periodQuery, ...compareQuery }),
    answer,
    columns: columnsOf(storeShape, 'groups'),
    sheet,
  },
  async (request, resources) =>
    readReport(request, resources, async (db, stores, now) => {
      const { from, to, compare } = request.query;
      const series = await readVisitors(db, stores, { days: { from, to }, size: 'day', compare, now });
      const sold = series.map(soldIn);
      const inside = await occupancies(db, stores, now);
      const items = series.map((one, index) => ({
        ...itemOf(one, inside[index]?.occupancy ?? 0),
        ...salesItem(sold[index]),
        ...one.opening.stateAt(one.store, now),
        completeUntil: completeUntilOf(one, now),
      }));
      const period = union(series.map(({ plan }) => plan.period));
      return {
        ...period,
        compared: comparedOf(series),
        items,
        total: { ...comparedTotal(items), ...salesItem(sold.reduce(addSold, undefined)) },
      };
    }),
);

/** Until when the people inside now are known, whatever the period is. */
function completeUntilOf({ store, devices }: Series, now: number): string | null {
  const format = zonedFormatter(store.calendar.timeZone);
  return completenessItem(completenessOfStores([devices], now), format).completeUntil;
}

function itemOf(one: Series, occupancy: number) {
  const { store, plan, counts, begin } = one;
  return {
    store: store.sid,
    name: store.name,
    groups: [...store.groups],
    ...plan.period,
    days: plan.starts.length,
    recorded: plan.starts.filter((_, cell) => (plan.all[cell]?.to ?? 0) > begin).length,
    ...visitorsIn(one),
    out: counts.exits.reduce((sum, count) => sum + count, 0),
    occupancy,
    capacity: store.capacity,
    incomplete: namesOf(one.incomplete.reduce((all, bits) => all | bits, 0)),
  };
}
