import type { Bucket } from '@visitor-counter/domain/buckets';
import { keptFrom } from '../retention/retention.ts';
import type { Snapshot } from '../sql/snapshot.ts';
import { type CorrectionInForce, correctionsInForce } from './corrections.ts';
import { countByDevice, countStores, type EntriesAndExits } from './count-stores.ts';
import { type BucketOccupancy, type DayFold, foldDay } from './fold-day.ts';
import { quarterAfter } from './quarter.ts';
import { type ProjectedDay, type ProjectedDays, readDays, readStates } from './quarter-states.ts';

/** Entries and exits in a bucket. */
export interface InOut {
  in: number;
  out: number;
}

/** What happened in a bucket. */
export interface BucketCounts extends InOut, BucketOccupancy {}

/** Buckets of whole business days of a store that follow one another. */
interface StoreBuckets {
  readonly storeId: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Counts the crossings of stores of one company, each in its buckets, up to `now` (epoch ms). Reads the
 * projection: business days, or quarter hours where a day has several buckets or a correction (`foldDay`). Memory depends on
 * the buckets, not on crossings or journals.
 */
export async function countOccupancy(
  snapshot: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<(readonly BucketCounts[])[]> {
  const wanted = stores.map((store) => untilNow(store, now));
  const corrections = await correctionsInForce(snapshot.db, wanted);
  const projected = new Map<number, ProjectedDays>();
  for await (const found of readDays(snapshot.db, wanted)) projected.set(found.index, found);
  const sums = await countStores(snapshot.db, wanted, projected.values());
  const kept = await keptFrom(snapshot.db, stores[0]?.storeId ?? 0);
  const counts = stores.map(({ buckets }, index) =>
    buckets.map((_, bucket): BucketCounts => {
      return { ...inBucket(sums[index], bucket), occupancy: 0, peak: 0, corrections: [] };
    }),
  );
  const folds = stores.flatMap((store, index) =>
    daysToFold(store, counts[index] ?? [], projected.get(index)?.days ?? [], corrections[index] ?? [], {
      kept,
      now,
    }),
  );
  const states = await readStates(snapshot.db, folds);
  for (const [index, fold] of folds.entries()) await foldDay(snapshot, fold, states[index] ?? []);
  return counts;
}

/**
 * Sets the counts of business days that are one bucket, as they were projected, and returns the days that must be folded:
 * those of several buckets, with a correction, or with something after now.
 */
function daysToFold(
  { storeId, buckets }: StoreBuckets,
  counts: readonly BucketCounts[],
  projected: readonly ProjectedDay[],
  corrections: readonly CorrectionInForce[],
  { kept, now }: Pick<DayFold, 'kept' | 'now'>,
): DayFold[] {
  const parts = buckets.flatMap(({ date, from, to }, index) => {
    const own = counts[index];
    return own ? [{ date, from, to, counts: own }] : [];
  });
  const days = new Map(projected.map((day) => [day[0], day]));
  return [...Map.groupBy(parts, ({ date }) => date).values()].flatMap((ofDay, index): DayFold[] => {
    const [from, to] = [ofDay[0]?.from ?? now, ofDay.at(-1)?.to ?? now];
    const entered = corrections.filter(({ at }) => at >= from && at < to);
    const day = days.get(index);
    if (day === undefined && entered.length === 0) return [];
    const [, , , occupancy, peak, latest] = day ?? [0, 0, 0, 0, 0, 0];
    if (day === undefined || latest > now || entered.length > 0 || ofDay.length > 1)
      return [
        {
          storeId,
          first: quarterAfter(from),
          next: quarterAfter(to),
          parts: ofDay,
          corrections: entered,
          kept,
          now,
        },
      ];
    Object.assign(ofDay[0]?.counts ?? {}, { occupancy, peak });
    return [];
  });
}

/**
 * Counts what each device of stores, given by its serial number, counted up to `now` (epoch ms) in each bucket; devices
 * that counted nothing are left out.
 */
export async function countDevices(
  { db }: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<ReadonlyMap<string, readonly InOut[]>[]> {
  const found = await countByDevice(
    db,
    stores.map((store) => untilNow(store, now)),
  );
  return found.map((devices, index) => {
    const buckets = stores[index]?.buckets ?? [];
    return new Map(
      [...devices].map(([serial, counts]) => [serial, buckets.map((_, bucket) => inBucket(counts, bucket))]),
    );
  });
}

function inBucket(counts: EntriesAndExits | undefined, bucket: number): InOut {
  return { in: counts?.entries[bucket] ?? 0, out: counts?.exits[bucket] ?? 0 };
}

/** The range that is counted, from the first bucket up to `now` (epoch ms), and the buckets that begin in it. */
function untilNow({ storeId, buckets }: StoreBuckets, now: number) {
  const from = buckets[0]?.from ?? now;
  const to = Math.max(from, Math.min(buckets.at(-1)?.to ?? now, now + 1));
  const begun = buckets.filter((bucket) => bucket.from < to);
  const starts = begun.map((bucket) => bucket.from);
  const dates = new Set(begun.map(({ date }) => date)).size;
  return { storeId, from, to, starts, firstDay: firstDayOf(begun), firstDate: begun[0]?.date, dates };
}

/** The date of the first of buckets that are business days; undefined if they are parts of days. */
export function firstDayOf(buckets: readonly Pick<Bucket, 'date'>[]): string | undefined {
  return buckets[0]?.date === buckets[1]?.date ? undefined : buckets[0]?.date;
}
