import { visitorWordsOf } from '@visitor-counter/domain/visitor-words';
import { visitorsSheet } from '@visitor-counter/spreadsheet/visitors-sheet';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { amount, count, date, orNull, text, time } from '../routing/shapes.ts';
import { completenessShape, incompleteShape } from '../stores/completeness.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { comparableVisitors, visitorsQuery } from './requests.ts';
import { visitorsOf } from './visitors-of.ts';

const before = orNull(count('Visitors in the compared period; null: there is no such time.'));
export const sales = {
  transactions: orNull(count('Sales; null: not known.')),
  amount: orNull(amount('Their amount, a decimal number.')),
  conversion: orNull(
    Type.Number({
      description:
        'Sales for each visitor, of the stores and times of which sales are known; null where their count is incomplete.',
    }),
  ),
};
const people = {
  visitors: count('People who came in, without declared staff.'),
  out: count('People who went out.'),
  staff: count('Declared staff that are left out of the visitors.'),
  comparable: comparableVisitors,
  before,
};
const item = Type.Object(
  {
    date: date('The business day, or the first one.'),
    from: time('Its beginning, as in RFC 3339; of stores with different offsets the local time.'),
    to: time('Its end.'),
    ...people,
    open: Type.Boolean({ description: 'Whether a store is open in it.' }),
    incomplete: incompleteShape,
    ...sales,
  },
  { $id: 'Visitors' },
);

export const periodShape = {
  from: date('The first business day.'),
  to: date('The last business day.'),
};
export const compared = orNull(
  Type.Object({
    ...periodShape,
    until: orNull(text('The local time at which it ends if the period is not over.')),
  }),
);

const visitorsAnswer = Type.Object({
  store: orNull(text('Store id.')),
  name: orNull(text('Name of the store.')),
  group: orNull(text('Name of the shop group.')),
  bucket: Type.Enum(['hour', 'day', 'week', 'month']),
  ...periodShape,
  compared,
  total: Type.Object({ ...people, ...sales }),
  days: Type.Object({
    average: orNull(Type.Number({ description: 'Visitors of a day.' })),
    best: orNull(Type.Object({ date: date('The business day.'), visitors: count('Its visitors.') })),
    counted: count('Complete days on which a store was open.'),
    begun: count('Days of the period that have begun.'),
    recorded: count('Those of them on which some store had begun to count.'),
  }),
  items: Type.Array(item),
  ...completenessShape,
});

/** Each line has the name of the store, or of the group. */
function sheet(answer: Awaited<ReturnType<typeof visitorsOf>>, locale: string) {
  const { name, group, bucket, items, total, compared } = answer;
  const words = visitorWordsOf(locale);
  const scope = name ?? group ?? words.allStores;
  const names = [
    { title: words.store, kind: 'text', width: 28 },
    { title: words.time, kind: bucket === 'hour' ? 'time' : 'date' },
  ] as const;
  const lines = items.map((one) => ({ ...one, names: [scope, bucket === 'hour' ? one.from : one.date] }));
  return visitorsSheet({ names, period: answer, compared, lines, total }, words);
}

/** Visitors in buckets of time, with the same buckets of another period. */
export const getVisitors = route(
  {
    ...report,
    path: '/v1/visitors',
    summary: 'Visitors by hour, day, week or month',
    query: visitorsQuery,
    answer: visitorsAnswer,
    columns: columnsOf(item),
    sheet,
  },
  async (request, resources) =>
    readReport(request, resources, (db, stores, now) => visitorsOf(db, stores, request.query, now)),
);
