import { type Delivery, deliveryIn } from '@visitor-counter/database/devices/delivery';
import type { StoreDevices } from '@visitor-counter/database/devices/store-devices';
import { type BucketCounts, countOccupancy } from '@visitor-counter/database/occupancy/count-occupancy';
import { countByDevice, type EntriesAndExits } from '@visitor-counter/database/occupancy/count-stores';
import { beginsOf, countedUntil } from '@visitor-counter/database/occupancy/counted-days';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { doorsOfStores, type StoreFacts } from '@visitor-counter/database/stores/store-facts';
import {
  type ComparedCells,
  counterpartOf,
  type Plan,
  planOf,
} from '@visitor-counter/database/visitors/plan';
import { aboutHowMany, type Bucket } from '@visitor-counter/domain/buckets';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import Type, { type Static } from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { day, groupFilter, storeFilter } from '../routing/shapes.ts';

/** The most buckets in an answer, a comparison not counted. */
const mostBuckets = 10_000;

/** The most items in an answer: by device, each bucket of a store is one for each of its devices. */
const mostItems = 100_000;

/** What was counted in a bucket; of a device, only entries and exits. */
export type Counts = Pick<BucketCounts, 'in' | 'out'> & Partial<BucketCounts>;

export const none: Counts = { in: 0, out: 0 };

/** What was counted in the buckets of a store or of one of its devices. */
export interface CountSeries {
  readonly store: StoreFacts;
  /** Serial number. */
  readonly device: string | undefined;
  readonly buckets: readonly Bucket[];
  readonly counts: readonly Counts[];
  /**
   * If the caller requested it: what was counted in each bucket a week earlier; null if there was no such time, or if the
   * store or device had not begun to count by then.
   */
  readonly before: readonly (Counts | null)[] | undefined;
  /** What the store or device has delivered, and when it began to count (epoch ms); Infinity if it has not. */
  readonly delivery: Delivery;
  readonly begin: number;
}

/** What a caller of `/v1/counts` may ask for. */
export const countsQuery = Type.Object({
  bucket: Type.Optional(Type.Enum(['15min', 'hour', 'day'], { description: '15min, hour or day' })),
  from: day,
  to: day,
  by: Type.Optional(Type.Enum(['store', 'device', 'group'], { description: 'store, device or group' })),
  store: storeFilter,
  group: groupFilter,
  compare: Type.Optional(Type.Enum(['week'], { description: 'week' })),
});
export type CountsQuery = Static<typeof countsQuery>;

/**
 * What was counted in stores, or by their devices, in buckets, up to `now` (epoch ms). Throws `range_too_large`.
 */
export async function countSeries(
  db: Db,
  found: readonly StoreDevices[],
  { bucket = 'hour', by, from, to, compare }: CountsQuery,
  now: number,
): Promise<CountSeries[]> {
  const stores = found.map(({ store }) => store);
  const days = { from, to };
  const expected = stores.map(({ calendar }) => aboutHowMany(calendar, days, bucket, now));
  if (expected.reduce((sum, buckets) => sum + buckets, 0) > mostBuckets)
    throw rangeTooLarge(mostBuckets, 'buckets');
  const request = { days, size: bucket, compare, now, kept: Number.NEGATIVE_INFINITY };
  const planFor = onceForEachCalendar((calendar) => planOf(calendar, request));
  const countIn = async (bucketsIn: (plan: Plan) => readonly Bucket[]): Promise<Counted[]> => {
    const wanted = stores.map(({ id, calendar }) => ({ storeId: id, buckets: bucketsIn(planFor(calendar)) }));
    if (by === 'device') return await countDevices(db, wanted, now);
    const counted = await countOccupancy(db, wanted, now);
    return counted.map((counts) => new Map([[undefined, counts]]));
  };
  const counted = await countIn(({ all }) => all);
  const earlier = compare && (await countIn(({ before }) => before?.all ?? []));
  const ids = stores.map(({ id }) => id);
  const beginOf = await begins(db, ids, by, now);
  const series = found.flatMap((one, index) => {
    const { store } = one;
    const { all: buckets, before: week } = planFor(store.calendar);
    const [own, ofWeek] = [counted[index], earlier?.[index]];
    const devices = new Set([...(own?.keys() ?? []), ...(ofWeek?.keys() ?? [])]);
    return [...devices].map((device): CountSeries => {
      const counts = own?.get(device) ?? [];
      const known = beginOf(store.id, device);
      const before = week && beforeOf(week, ofWeek?.get(device) ?? [], known);
      const begin = beginIn(buckets, counts, known);
      return { store, device, buckets, counts, before, delivery: deliveryIn(one, now, device), begin };
    });
  });
  if (series.reduce((sum, { buckets }) => sum + buckets.length, 0) > mostItems)
    throw rangeTooLarge(mostItems, 'items');
  return series;
}

/** What was counted in the buckets of a store: by the serial number of each device, or as a whole, under undefined. */
type Counted = ReadonlyMap<string | undefined, readonly Counts[]>;

async function countDevices(
  db: Db,
  wanted: readonly { readonly storeId: number; readonly buckets: readonly Bucket[] }[],
  now: number,
): Promise<Counted[]> {
  const found = await countByDevice(
    db,
    wanted.map(({ storeId, buckets }) => ({ storeId, ...countedUntil(buckets, now + 1) })),
  );
  return found.map((devices, index) => {
    const inBuckets = ({ entries, exits }: EntriesAndExits) =>
      wanted[index]?.buckets.map((_, n): Counts => ({ in: entries[n] ?? 0, out: exits[n] ?? 0 })) ?? [];
    return new Map([...devices].map(([serial, counts]) => [serial, inBuckets(counts)]));
  });
}

/**
 * When a store, or one of its devices, began to count (epoch ms); Infinity if it has not. Of a device, when it came into the
 * store: it may have counted crossings before it was registered.
 */
async function begins(db: Db, ids: readonly number[], by: CountsQuery['by'], now: number) {
  const keyOf = (storeId: number, device: string | undefined) => `${storeId} ${device ?? ''}`;
  const found =
    by === 'device'
      ? (await doorsOfStores(db, ids, now)).map(
          (door) => [keyOf(door.storeId, door.serial), door.since] as const,
        )
      : [...(await beginsOf(db, ids))].map(([id, begin]) => [keyOf(id, undefined), begin] as const);
  const known = new Map(found);
  return (storeId: number, device: string | undefined) =>
    known.get(keyOf(storeId, device)) ?? Number.POSITIVE_INFINITY;
}

/** When a store or device began to count, if not later than in the buckets. */
function beginIn(buckets: readonly Bucket[], counts: readonly Counts[], known: number): number {
  const first = counts.findIndex((counted) => counted.in + counted.out > 0);
  return Math.min(known, buckets[first]?.from ?? Number.POSITIVE_INFINITY);
}

/** What was counted a week before each of the present buckets, as in CountSeries. */
function beforeOf(week: ComparedCells, counts: readonly Counts[], known: number): (Counts | null)[] {
  const begin = beginIn(week.all, counts, known);
  return week.indexes.map((_, cell) => {
    const index = counterpartOf(week, cell, begin);
    return index === undefined ? null : (counts[index] ?? none);
  });
}
