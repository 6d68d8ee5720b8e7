import { completenessOfStore } from '@visitor-counter/database/devices/completeness';
import { openSnapshot, type Reader, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { businessDayOf, businessDayStart } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type, { type Static } from 'typebox';
import { invalidParameter, rangeTooLarge, unknownResource } from '../../problems/problems.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { completenessShape, instant, orNull, storeFilter } from '../routing/shapes.ts';
import { requestedStores } from '../stores/requested-stores.ts';
import { completenessItem, storeHealth } from '../stores/store-states.ts';
import { aboutHowMany, bucketsOf } from './buckets.ts';
import { countDevices, countStore } from './count-crossings.ts';
import { itemsByDevice, itemsByGroup, itemsByStore } from './items-by.ts';
import { type Count, readSeries, type StoreSeries } from './read-series.ts';

/** ms */
const week = 7 * 24 * 60 * 60_000;

/** The most buckets in an answer, a comparison not counted. */
const mostBuckets = 10_000;

const day = Type.Optional(Type.String({ description: 'a date that exists, YYYY-MM-DD', format: 'date' }));
const query = Type.Object({
  bucket: Type.Optional(Type.Enum(['15min', 'hour', 'day'], { description: '15min, hour or day' })),
  from: day,
  to: day,
  by: Type.Optional(Type.Enum(['store', 'device', 'group'], { description: 'store, device or group' })),
  store: storeFilter,
  group: Type.Optional(Type.String({ description: 'the name of a shop group', maxLength: 200 })),
  compare: Type.Optional(Type.Enum(['week'], { description: 'week' })),
});

const sums = { in: Type.Integer(), out: Type.Integer(), occupancy: Type.Optional(Type.Integer()) };
const peak = Type.Optional(Type.Integer({ description: 'The most people inside at any time in it.' }));
const corrected = Type.Object({
  at: instant('From when on.'),
  by: Type.String({ description: 'Who counted.' }),
  people: Type.Integer({ description: 'How many people were inside.' }),
  was: Type.Integer({ description: 'The number until then.' }),
});
const item = Type.Object(
  {
    store: Type.Optional(Type.String({ description: 'Store id.' })),
    device: Type.Optional(Type.String({ description: 'Serial number.' })),
    group: Type.Optional(Type.String({ description: 'Name of the shop group.' })),
    date: Type.String({ description: 'The business day.', format: 'date' }),
    from: Type.String({ description: 'Its beginning, as in RFC 3339; of groups the local time.' }),
    to: Type.String({ description: 'Its end.' }),
    ...sums,
    peak,
    corrections: Type.Optional(
      Type.Array(corrected, { description: 'Corrections in it that are in force; for stores only.' }),
    ),
    before: Type.Optional(orNull(Type.Object({ ...sums, peak }))),
  },
  { $id: 'Counts' },
);

export const getCountsDescription = {
  method: 'GET',
  path: '/v1/counts',
  summary: 'Counts by quarter hour, hour or day',
  kinds: ['counts', 'staff'],
  query,
  body: nothing,
  status: 200,
  answer: Type.Object({
    items: Type.Array(item),
    completeness: Type.Array(Type.Object({ store: Type.String(), ...completenessShape })),
    next: Type.Null(),
  }),
  columns: [
    ...['store', 'device', 'group', 'date', 'from', 'to', 'in', 'out', 'occupancy', 'peak'],
    ...['before.in', 'before.out', 'before.occupancy', 'before.peak'],
  ],
} satisfies RouteDescription;

/** Entries, exits and occupancy in buckets of time. */
export function getCounts({ database, exports, now }: V1Resources): Route {
  return route(getCountsDescription, async ({ caller, query: requested }) => {
    const at = now();
    const { from, to } = requested;
    if (from !== undefined && to !== undefined && from > to) {
      throw invalidParameter('from', 'a date not after `to`');
    }
    using _slot = await exports.acquire(caller);
    await using snapshot = await openSnapshot(database);
    const stores = inGroup(await requestedStores(snapshot.db, caller, requested.store), requested.group);
    return {
      items: await readItems(snapshot, stores, requested, at),
      completeness: await healthOf(snapshot.db, stores, requested, at),
      next: null,
    };
  });
}

function inGroup(stores: readonly StoreFacts[], group: string | undefined): readonly StoreFacts[] {
  if (group === undefined) return stores;
  const key = nameKey(group);
  const members = stores.filter(({ groups }) => groups.some((name) => nameKey(name) === key));
  if (members.length === 0) throw unknownResource('group', 'group');
  return members;
}

async function readItems(
  snapshot: Snapshot,
  stores: readonly StoreFacts[],
  requested: Static<typeof query>,
  now: number,
): Promise<readonly object[]> {
  if (requested.by === 'device')
    return itemsByDevice(await readAll(countDevices, snapshot, stores, requested, now), now);
  const series = await readAll(countStore, snapshot, stores, requested, now);
  return requested.by === 'group' ? itemsByGroup(series, requested.group, now) : itemsByStore(series, now);
}

async function readAll<Counts>(
  count: Count<Counts>,
  snapshot: Snapshot,
  stores: readonly StoreFacts[],
  { bucket = 'hour', from, to, compare }: Static<typeof query>,
  now: number,
): Promise<StoreSeries<Counts>[]> {
  const days = { from, to };
  const counts = stores.map(({ calendar }) => aboutHowMany(calendar, days, bucket, now));
  if (counts.reduce((sum, count) => sum + count, 0) > mostBuckets) throw rangeTooLarge(mostBuckets);
  const series: StoreSeries<Counts>[] = [];
  for (const store of stores) {
    const buckets = bucketsOf(store.calendar, days, bucket, now);
    const requested = { bucket, week: compare === 'week' };
    series.push(await readSeries(count, snapshot, { store, buckets }, requested, now));
  }
  return series;
}

async function healthOf(
  db: Reader,
  stores: readonly StoreFacts[],
  { from, compare }: Static<typeof query>,
  now: number,
): Promise<object[]> {
  const begins = stores.map(({ calendar }) =>
    from === undefined ? businessDayOf(now, calendar).start : businessDayStart(from, calendar),
  );
  const health = await storeHealth(db, stores, now, Math.min(...begins) - (compare ? week : 0));
  return stores.map(({ id, sid, calendar }) => ({
    store: sid,
    ...completenessItem(health.get(id) ?? completenessOfStore([]), zonedFormatter(calendar.timeZone)),
  }));
}
