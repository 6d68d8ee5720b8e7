import { storeHealth } from '@visitor-counter/database/devices/store-devices';
import type { Reader, Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { aboutHowMany, bucketsOf } from '@visitor-counter/domain/buckets';
import { businessDayOf, businessDayStart, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type, { type Static } from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { route } from '../routing/route.ts';
import {
  completenessShape,
  day,
  groupFilter,
  instant,
  orNull,
  requireOrder,
  storeFilter,
  text,
  time,
} from '../routing/shapes.ts';
import { completenessItem } from '../stores/occupancy.ts';
import { inGroup, requestedStores } from '../stores/stores.ts';
import { type Counted, countDevices, countOccupancy, type StoreBuckets } from './count.ts';
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
  group: groupFilter,
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
  async ({ caller, query: requested }, { snapshots, exports, now }) => {
    const at = now();
    requireOrder(requested);
    using _slot = await exports.acquire(caller);
    return await snapshots.read(async (snapshot) => {
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
  const series = await readSeries(countOccupancy, snapshot, stores, requested, now);
  if (requested.by === 'group') return itemsByGroup(series, requested.group, now);
  return series.flatMap((one) => itemsOf(one, now));
}

/** Counts stores up to `now` (epoch ms) in buckets. */
type Count<Counts> = (
  snapshot: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
) => Promise<Counted<Counts>[]>;

async function readSeries<Counts>(
  count: Count<Counts>,
  snapshot: Snapshot,
  stores: readonly StoreFacts[],
  { bucket = 'hour', from, to, compare }: Static<typeof query>,
  now: number,
): Promise<Series<Counts>[]> {
  const days = { from, to };
  const expected = stores.map(({ calendar }) => aboutHowMany(calendar, days, bucket, now));
  if (expected.reduce((sum, buckets) => sum + buckets, 0) > mostBuckets)
    throw rangeTooLarge(mostBuckets, 'buckets');
  const present = onceForEachCalendar((calendar) => bucketsOf(calendar, days, bucket, now));
  const weekBefore = onceForEachCalendar((calendar) => {
    const [first, last] = [present(calendar).at(0)?.date, present(calendar).at(-1)?.date];
    const earlier = first && last ? { from: addDays(first, -7), to: addDays(last, -7) } : days;
    return bucketsOf(calendar, earlier, bucket, now);
  });
  const countIn = (buckets: typeof present) => {
    const wanted = stores.map(({ id, calendar }) => ({ storeId: id, buckets: buckets(calendar) }));
    return count(snapshot, wanted, now);
  };
  const [counted, before] = [await countIn(present), compare && (await countIn(weekBefore))];
  return stores.flatMap((store, index) => {
    const [own, ofWeek] = [counted[index], before?.[index]];
    const devices = new Set([...(own?.keys() ?? []), ...(ofWeek?.keys() ?? [])]);
    return [...devices].map((device): Series<Counts> => {
      const counts = own?.get(device) ?? [];
      const earlier = { buckets: weekBefore(store.calendar), counts: ofWeek?.get(device) ?? [] };
      return { store, device, buckets: present(store.calendar), counts, ...(compare && { earlier }) };
    });
  });
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
