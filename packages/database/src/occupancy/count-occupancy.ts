import type { Bucket } from '@visitor-counter/domain/buckets';
import { occupancyAtEnd, peakOccupancy, type Stretch } from '@visitor-counter/domain/occupancy';
import { type Db, numberColumns, runStatement } from '../sql/query-builder.ts';
import { countStores } from './count-stores.ts';
import { countedUntil, readDays } from './counted-days.ts';
import { correctionsInForce, type EnteredCorrection, foldTimes } from './fold.ts';
import { quarterAfter, quarterOf, startOfQuarter } from './quarter.ts';

/** What happened in a bucket: people inside at its end, the most at any time in it, and before each correction. */
export interface BucketCounts {
  readonly in: number;
  readonly out: number;
  occupancy: number;
  peak: number;
  readonly corrections: (EnteredCorrection & { readonly was: number })[];
}

/** Buckets of whole business days of a store that follow one another. */
interface BucketsOfStore {
  readonly storeId: number;
  readonly buckets: readonly Bucket[];
}

/** A business day of a store that is folded from its quarter hours into its buckets. */
interface DayFold {
  readonly storeId: number;
  /** Its first quarter, and the one after its last. */
  readonly first: number;
  readonly next: number;
  readonly parts: readonly (Bucket & { readonly counts: BucketCounts })[];
  readonly corrections: readonly EnteredCorrection[];
}

/**
 * Counts the crossings of stores of one company, each in its buckets, up to `now` (epoch ms). Reads the projection: business days, or quarter hours where a day has several buckets, a correction, or
 * something after now. Memory depends on the buckets, not on crossings or journals. `db` must be a snapshot.
 */
export async function countOccupancy(
  db: Db,
  stores: readonly BucketsOfStore[],
  now: number,
): Promise<(readonly BucketCounts[])[]> {
  const wanted = stores.map(({ storeId, buckets }) => {
    return { storeId, from: buckets[0]?.from ?? now, ...countedUntil(buckets, now + 1) };
  });
  const sums = await countStores(db, wanted);
  const parts = stores.map(({ buckets }, index) =>
    buckets.map((bucket, n) => {
      const { entries = [], exits = [] } = sums[index] ?? {};
      const counted = { in: entries[n] ?? 0, out: exits[n] ?? 0 };
      return { ...bucket, counts: { ...counted, occupancy: 0, peak: 0, corrections: [] } };
    }),
  );
  const corrections = await correctionsInForce(db, wanted);
  const folds: DayFold[] = [];
  for await (const { index, days } of readDays(db, wanted)) {
    const byDay = [...Map.groupBy(parts[index] ?? [], ({ date }) => date).values()];
    for (const [day, , , occupancy, peak, latest] of days) {
      const ofDay = byDay[day] ?? [];
      const [from, to] = [ofDay[0]?.from ?? now, ofDay.at(-1)?.to ?? now];
      const entered = corrections[index]?.filter(({ at }) => at >= from && at < to) ?? [];
      const [whole, ...others] = ofDay;
      if (whole && others.length === 0 && latest <= now && entered.length === 0)
        Object.assign(whole.counts, { occupancy, peak });
      else
        folds.push({
          storeId: stores[index]?.storeId ?? 0,
          first: quarterAfter(from),
          next: quarterAfter(to),
          parts: ofDay,
          corrections: entered,
        });
    }
  }
  const states = await readStates(db, folds);
  for (const [index, fold] of folds.entries()) await foldDay(db, fold, states[index] ?? [], now);
  return parts.map((ofStore) => ofStore.map(({ counts }) => counts));
}

/**
 * Folds the quarters of a day, given in order. Crossings are read only in a quarter hour with a correction, for the occupancy
 * before it, and in one with later crossings than now. Where crossings are no longer kept, `was` does not contain those of the
 * quarter hour.
 */
async function foldDay(
  db: Db,
  { storeId, parts, corrections }: DayFold,
  states: readonly QuarterState[],
  now: number,
): Promise<void> {
  const entered = Map.groupBy(corrections, ({ at }) => quarterOf(at));
  const begun = states.filter(({ quarter }) => startOfQuarter(quarter) <= now);
  const toRead = begun.filter(({ quarter, latest }) => latest > now || entered.has(quarter));
  const found = await foldTimes(
    db,
    toRead.map(({ quarter }) => {
      const to = Math.min(startOfQuarter(quarter + 1), now + 1);
      return { storeId, from: startOfQuarter(quarter), to };
    }),
  );
  const readOf = new Map(toRead.map(({ quarter }, index) => [quarter, found[index]]));
  let [occupancy, next] = [0, 0];
  for (const { to, counts } of parts) {
    Object.assign(counts, { occupancy, peak: occupancy });
    for (let state = begun[next]; state && startOfQuarter(state.quarter) < to; state = begun[next]) {
      next += 1;
      const read = readOf.get(state.quarter);
      for (const [index, before] of (read?.beforeCorrections ?? []).entries()) {
        const correction = entered.get(state.quarter)?.[index];
        if (correction) counts.corrections.push({ ...correction, was: occupancyAtEnd(occupancy, before) });
      }
      const { stretch } = read && state.latest > now ? read : state;
      counts.peak = Math.max(counts.peak, peakOccupancy(occupancy, stretch));
      occupancy = occupancyAtEnd(occupancy, stretch);
      counts.occupancy = occupancy;
    }
  }
}

/** What a quarter hour of a store contains. */
interface QuarterState {
  readonly quarter: number;
  readonly stretch: Stretch;
  /** The instant of its latest crossing or correction (epoch ms). */
  readonly latest: number;
}

/** The quarters in each range that have crossings or corrections, in the order of time. */
async function readStates(db: Db, ranges: readonly DayFold[]): Promise<QuarterState[][]> {
  if (ranges.length === 0) return [];
  const values = numberColumns(ranges, 'storeId', 'first', 'next');
  const rows = await runStatement<{ states: StateRow[] }>(db, statesStatement, values);
  return rows.map(({ states }) =>
    states.map(([quarter, sum, floor, peakSum, peakFloor, latest]) => {
      return { quarter, stretch: { sum, floor, peakSum, peakFloor }, latest };
    }),
  );
}

/** As in QuarterState: these arrays are half as many bytes as objects. */
type StateRow = [number, number, number, number, number, number];

const statesStatement = `
  select coalesce(states, '[]') as states
  from unnest($1::integer[], $2::integer[], $3::integer[]) with ordinality as wanted (store_id, first, next, place)
  cross join lateral (
    select json_agg(json_build_array(
      quarter, sum, floor, peak_sum, peak_floor, epoch_ms(latest_at)
    ) order by quarter) as states
    from quarter_state state
    where state.store_id = wanted.store_id and quarter >= first and quarter < next
    offset 0
  ) found
  order by place`;
