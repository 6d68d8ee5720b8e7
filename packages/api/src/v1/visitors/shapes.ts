import { reasons } from '@visitor-counter/database/visitors/incomplete';
import { comparisons } from '@visitor-counter/domain/periods';
import Type from 'typebox';
import { amount, count, day, groupFilter, orNull, storeFilter, text, time } from '../routing/shapes.ts';
import { completenessShape } from '../stores/completeness.ts';

/* Requests and answers of the routes about visitors. */

export const storesQuery = { store: storeFilter, group: groupFilter };

/** Business days, both included; the present one by default. */
export const periodQuery = { from: day, to: day };

export const compareQuery = {
  compare: Type.Optional(
    Type.Enum([...comparisons], { description: 'previous, previous-month, previous-year, weekdays or year' }),
  ),
};

export const visitorsQuery = Type.Object({
  ...storesQuery,
  ...periodQuery,
  ...compareQuery,
  bucket: Type.Optional(
    Type.Enum(['hour', 'day', 'week', 'month'], { description: 'hour, day, week or month' }),
  ),
  weekStart: Type.Optional(
    Type.Enum(['monday', 'sunday', 'saturday'], { description: 'monday, sunday or saturday' }),
  ),
});

/** The visitors of several stores that may be compared with those of the compared period. */
export const comparableVisitors = orNull(
  count(
    'The visitors of only those stores that `before` has a number of: compare these. Null like `before`.',
  ),
);
const before = orNull(count('Visitors in the compared period; null: there is no such time.'));
const sales = {
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
const date = (description: string) => Type.String({ description, format: 'date' });
const item = Type.Object(
  {
    date: date('The business day, or the first one.'),
    from: time('Its beginning, as in RFC 3339; of several stores the local time.'),
    to: time('Its end.'),
    ...people,
    open: Type.Boolean({ description: 'Whether a store is open in it.' }),
    incomplete: Type.Array(Type.Enum([...reasons]), { description: 'Why the number may change.' }),
    ...sales,
  },
  { $id: 'Visitors' },
);

export const visitorsAnswer = Type.Object({
  store: orNull(text('Store id.')),
  group: orNull(text('Name of the shop group.')),
  bucket: Type.Enum(['hour', 'day', 'week', 'month']),
  from: date('The first business day.'),
  to: date('The last business day.'),
  compared: orNull(
    Type.Object({
      from: date('The first business day.'),
      to: date('The last business day.'),
      until: orNull(text('The local time at which it ends if the period is not over.')),
    }),
  ),
  total: Type.Object({ ...people, ...sales }),
  days: Type.Object({
    average: orNull(Type.Number({ description: 'Visitors of a day.' })),
    best: orNull(Type.Object({ date: date('The business day.'), visitors: count('Its visitors.') })),
    counted: count('Complete days on which a store was open.'),
  }),
  items: Type.Array(item),
  ...completenessShape,
});
