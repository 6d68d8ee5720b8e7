import { storeHealth } from '@visitor-counter/database/devices/store-devices';
import type { Reader, Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { aboutHowMany, type Bucket, bucketsOf } from '@visitor-counter/domain/buckets';
import { businessDayOf, businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type, { type Static } from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { route } from '../routing/route.ts';
import {
  completenessShape,
  day,
  instant,
  orNull,
  requireOrder,
  storeFilter,
  text,
  time,
} from '../routing/shapes.ts';
import { completenessItem } from '../stores/occupancy.ts';
import { inGroup, requestedStores } from '../stores/stores.ts';
import { countDevices, countStore } from './count.ts';
import { itemsByGroup, itemsOf, type Series } from './items.ts';

/** ms */
const week = 7 * 24 * 60 * 60_000;

/** The most buckets in an answer, a comparison not counted. */
const mostBuckets = 10_000;

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
  by: text('Who counted.'),
  people: Type.Integer({ description: 'How many people were inside.' }),
  was: Type.Integer({ description: 'The number until then.' }),
});
const item = Type.Object(
  {
    store: Type.Optional(text('Store id.')),
    device: Type.Optional(text('Serial number.')),
    group: Type.Optional(text('Name of the shop group.')),
    date: Type.String({ description: 'The business day.', format: 'date' }),
    from: time('Its beginning, as in RFC 3339; of groups the local time.'),
    to: time('Its end.'),
    ...sums,
    peak,
    corrections: Type.Optional(
      Type.Array(corrected, { description: 'Corrections in it that are in force; for stores only.' }),
    ),
    before: Type.Optional(orNull(Type.Object({ ...sums, peak }))),
  },
  { $id: 'Counts' },
);

/** Entries, exits and occupancy in buckets of time. */
export const getCounts = route(
  {
    method: 'GET',
    path: '/v1/counts',
    summary: 'Counts by quarter hour, hour or day',
    kinds: ['counts', 'staff'],
    query,
    answer: Type.Object({
      items: Type.Array(item),
      completeness: Type.Array(Type.Object({ store: Type.String(), ...completenessShape })),
      next: Type.Null(),
    }),
    columns: [
      ...['store', 'device', 'group', 'date', 'from', 'to', 'in', 'out', 'occupancy', 'peak'],
      ...['before.in', 'before.out', 'before.occupancy', 'before.peak'],
    ],
  },
  async ({ caller, query: requested }, { reports, exports, now }) => {
    const at = now();
    requireOrder(requested);
    using _slot = await exports.acquire(caller);
    return await reports.read(async (snapshot) => {
      const stores = inGroup(await requestedStores(snapshot.db, caller, requested.store), requested.group);
      return {
        items: await readItems(snapshot, stores, requested, at),
        completeness: await healthOf(snapshot.db, stores, requested, at),
        next: null,
      };
    });
  },
);

async function readItems(
  snapshot: Snapshot,
  stores: readonly StoreFacts[],
  requested: Static<typeof query>,
  now: number,
): Promise<readonly object[]> {
  if (requested.by === 'device') {
    const devices = await readSeries(countDevices, snapshot, stores, requested, now);
    devices.sort((a, b) => Buffer.compare(Buffer.from(a.device ?? ''), Buffer.from(b.device ?? '')));
    return devices.flatMap((series) => itemsOf(series, now));
  }
  const series = await readSeries(countStore, snapshot, stores, requested, now);
  if (requested.by === 'group') return itemsByGroup(series, requested.group, now);
  return series.flatMap((one) => itemsOf(one, now));
}

/** Counts a store up to `now` (epoch ms) in buckets, as a whole or by the serial number of each device. */
type Count<Counts> = (
  snapshot: Snapshot,
  storeId: number,
  buckets: readonly Bucket[],
  now: number,
) => Promise<ReadonlyMap<string | undefined, readonly Counts[]>>;

async function readSeries<Counts>(
  count: Count<Counts>,
  snapshot: Snapshot,
  stores: readonly StoreFacts[],
  { bucket = 'hour', from, to, compare }: Static<typeof query>,
  now: number,
): Promise<Series<Counts>[]> {
  const days = { from, to };
  const expected = stores.map(({ calendar }) => aboutHowMany(calendar, days, bucket, now));
  if (expected.reduce((sum, buckets) => sum + buckets, 0) > mostBuckets) throw rangeTooLarge(mostBuckets);
  const series: Series<Counts>[] = [];
  for (const store of stores) {
    const buckets = bucketsOf(store.calendar, days, bucket, now);
    const counted = await count(snapshot, store.id, buckets, now);
    const [first, last] = [buckets.at(0)?.date, buckets.at(-1)?.date];
    const weekBefore =
      compare && first && last ? { from: addDays(first, -7), to: addDays(last, -7) } : undefined;
    const earlier = weekBefore && bucketsOf(store.calendar, weekBefore, bucket, now);
    const before = earlier && (await count(snapshot, store.id, earlier, now));
    for (const device of new Set([...counted.keys(), ...(before?.keys() ?? [])])) {
      const counts = counted.get(device) ?? [];
      const week = earlier && { earlier: { buckets: earlier, counts: before?.get(device) ?? [] } };
      series.push({ store, device, buckets, counts, ...week });
    }
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
    ...completenessItem(health.get(id), zonedFormatter(calendar.timeZone)),
  }));
}
