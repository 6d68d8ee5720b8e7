import { namesOf, reasonsIn } from '@visitor-counter/database/devices/delivery';
import {
  completenessOfStores,
  type StoreDevices,
  storeDevices,
} from '@visitor-counter/database/devices/store-devices';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { businessDayOf, businessDayStart } from '@visitor-counter/domain/business-day';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { date, instant, orNull, text, time } from '../routing/shapes.ts';
import { completenessItem, completenessShape, incompleteShape } from '../stores/completeness.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { type CountSeries, type CountsQuery, countSeries, countsQuery, none } from './count-series.ts';
import { itemsByGroup } from './group-items.ts';

/** ms */
const week = 7 * 24 * 60 * 60_000;

const sums = { in: Type.Integer(), out: Type.Integer(), occupancy: Type.Optional(Type.Integer()) };
const peak = Type.Optional(Type.Integer({ description: 'The most people inside at any time in it.' }));
const corrected = Type.Object({
  at: instant('From when on.'),
  by: text('Who counted.'),
  people: Type.Integer({ description: 'How many people were inside.' }),
  was: Type.Integer({ description: 'The number until then.' }),
});
const item = Type.Object(
  {
    store: Type.Optional(text('Store id.')),
    device: Type.Optional(text('Serial number.')),
    group: Type.Optional(text('Name of the shop group.')),
    date: date('The business day.'),
    from: time('Its beginning, as in RFC 3339; of stores with different offsets the local time.'),
    to: time('Its end.'),
    ...sums,
    peak,
    corrections: Type.Optional(
      Type.Array(corrected, { description: 'Corrections in it that are in force; for stores only.' }),
    ),
    comparable: Type.Optional(
      orNull(
        Type.Object(sums, {
          description:
            'Of groups: the sums of only those stores that `before` has numbers of. Compare these. Null like `before`.',
        }),
      ),
    ),
    before: Type.Optional(
      orNull(
        Type.Object(
          { ...sums, peak },
          {
            description:
              'The whole bucket a week earlier, also while the present one is not over. Null: there was no such time, ' +
              'or the store, or the device, had not begun to count by then. Of groups: without stores that had not.',
          },
        ),
      ),
    ),
    incomplete: incompleteShape,
  },
  { $id: 'Counts' },
);

/** These columns come last, in this order. */
const lastColumns = ['comparable', 'incomplete'];
const rank = ({ title }: { readonly title: string }) => lastColumns.indexOf(title.split('.')[0] ?? '');

/** Entries, exits and occupancy in buckets of time. */
export const getCounts = route(
  {
    ...report,
    path: '/v1/counts',
    summary: 'Counts by quarter hour, hour or day',
    query: countsQuery,
    answer: Type.Object({
      items: Type.Array(item),
      completeness: Type.Array(Type.Object({ store: Type.String(), ...completenessShape })),
      next: Type.Null(),
    }),
    columns: columnsOf(item).toSorted((a, b) => rank(a) - rank(b)),
  },
  async (request, resources) =>
    readReport(request, resources, async (db, stores, now) => {
      const found = await readDevices(db, stores, request.query, now);
      const items = await readItems(db, found, request.query, now);
      return { items, completeness: found.map((one) => completenessOf(one, now)), next: null };
    }),
);

async function readItems(
  db: Db,
  found: readonly StoreDevices[],
  requested: CountsQuery,
  now: number,
): Promise<readonly object[]> {
  const series = await countSeries(db, found, requested, now);
  if (requested.by === 'group') return itemsByGroup(series, requested.group, now);
  if (requested.by === 'device')
    series.sort((a, b) => Buffer.compare(Buffer.from(a.device ?? ''), Buffer.from(b.device ?? '')));
  return series.flatMap((one) => itemsOf(one, now));
}

/** The items of a store or device, of the buckets that have begun by `now` (epoch ms). */
function itemsOf(series: CountSeries, now: number): object[] {
  const { store, device, buckets, counts, before } = series;
  const format = zonedFormatter(store.calendar.timeZone);
  return buckets.flatMap((bucket, index) => {
    const { date, from, to } = bucket;
    if (from > now) return [];
    const { corrections, ...numbers } = counts[index] ?? none;
    const { corrections: _, ...earlier } = before?.[index] ?? {};
    return {
      ...(device !== undefined && { device }),
      store: store.sid,
      date,
      from: format(from),
      to: format(to),
      ...numbers,
      ...(corrections && {
        corrections: corrections.map(({ at, by, people, was }) => ({ at: format(at), by, people, was })),
      }),
      ...(before && { before: 'in' in earlier ? earlier : null }),
      incomplete: namesOf(reasonsIn(bucket, series, now)),
    };
  });
}

async function readDevices(
  db: Db,
  stores: readonly StoreFacts[],
  { from, compare }: CountsQuery,
  now: number,
): Promise<StoreDevices[]> {
  const begins = stores.map(({ calendar }) =>
    from === undefined ? businessDayOf(now, calendar).start : businessDayStart(from, calendar),
  );
  return await storeDevices(db, stores, now, Math.min(...begins) - (compare ? week : 0));
}

function completenessOf(found: StoreDevices, now: number): object {
  const { sid, calendar } = found.store;
  const format = zonedFormatter(calendar.timeZone);
  return { store: sid, ...completenessItem(completenessOfStores([found], now), format) };
}
