import type { Correction, Stretch } from '@visitor-counter/domain/occupancy';
import type { StoreRange } from '../crossings/crossings.ts';
import { type Db, numberArray, numberColumns, runStatement } from '../sql/query-builder.ts';

/**
 * Far more people than are ever in a store. A correction subtracts them, after which nobody is inside, and then adds its
 * own number: so it needs no case of its own in the fold. A sum below half of it contains a correction.
 */
export const everybody = 1_000_000_000;

/** The order in which crossings and corrections take effect: a correction comes after all crossings of its instant. */
const order = 'at, is_correction, device_id, journal_id, number, step';
const until = `${order} rows unbounded preceding`;

/**
 * SQL for the crossings and corrections of a store from `start` to before `stop`, in the order in which they take effect:
 * `change` of the occupancy, `total` of all changes up to each, and the lowest of these totals, at most 0, as `low`. The
 * occupancy that a store without negative occupancies has after them is x -> greatest(total - low, x + total). A
 * correction has no device. The arguments are SQL; the lower bound of `at` lets the index by store begin there.
 */
export const actsIn = (storeId: string, start: string, stop: string) => `
  select *, least(0, min(total) over (order by ${until})) as low, max(at) over () as latest
  from (
    select *, sum(change) over (order by ${until}) as total
    from (
      select at, false as is_correction, device_id, journal_id, sequence as number, 0 as step, direction::integer as change
      from crossing where store_id = ${storeId} and at >= ${start} and at < ${stop}
      union all
      select at, true, null, null, id, step, change
      from correction_in_force corrected cross join lateral (values (1, -${everybody}), (2, people)) as part (step, change)
      where corrected.store_id = ${storeId} and at >= ${start} and at < ${stop}
    ) act
  ) summed`;

/** What happened in a time of a store. */
interface FoldedTime {
  readonly stretch: Stretch;
  /** The instant (epoch ms) of the last crossing or correction; null if there is none. */
  readonly latest: number | null;
  /** What happened before each correction, in order. */
  readonly beforeCorrections: readonly Pick<Stretch, 'sum' | 'floor'>[];
}

/** Folds the crossings and corrections of times of stores. */
export async function foldTimes(db: Db, times: readonly StoreRange[]): Promise<FoldedTime[]> {
  if (times.length === 0) return [];
  const values = numberColumns(times, 'storeId', 'from', 'to');
  return await runStatement<FoldedTime>(db, foldStatement, values);
}

const foldStatement = `
  select stretch, latest, before_corrections
  from unnest($1::integer[], $2::float8[], $3::float8[]) with ordinality as time (store_id, start, stop, place)
  cross join lateral (
    select json_build_object(
        'sum', coalesce(sum(change), 0), 'floor', coalesce(sum(change) - min(low), 0),
        'peakSum', greatest(0, max(total)), 'peakFloor', coalesce(max(total - low), 0)
      ) as stretch,
      max(at) as latest,
      coalesce(json_agg(json_build_object('sum', before, 'floor', before - low_before) order by at, number)
        filter (where step = 1), '[]') as before_corrections
    from (
      select *, total - change as before, coalesce(lag(low) over (order by ${order}), 0) as low_before
      from (${actsIn('time.store_id', 'to_timestamp(time.start / 1000)', 'to_timestamp(time.stop / 1000)')}) act
    ) act
    offset 0
  ) folded
  order by place`;

/** A correction that was not undone, and who entered it. */
export interface EnteredCorrection extends Correction {
  readonly by: string;
}

/** The corrections in each range, in the order in which they take effect; those that were undone are left out. */
export async function correctionsInForce(
  db: Db,
  ranges: readonly StoreRange[],
): Promise<readonly (readonly EnteredCorrection[])[]> {
  if (ranges.length === 0) return [];
  const rows = await runStatement<EnteredCorrection & { index: number }>(db, correctionsStatement, [
    numberArray(ranges.map((_, index) => index)),
    ...numberColumns(ranges, 'storeId', 'from', 'to'),
  ]);
  const found = Map.groupBy(rows, ({ index }) => index);
  return ranges.map((_, index) => found.get(index) ?? []);
}

const correctionsStatement = `
  select range.index, c.at, c.people,
    entry.entered_by as by
  from unnest($1::integer[], $2::integer[], $3::double precision[], $4::double precision[])
    as range (index, store_id, start, stop)
  join correction_in_force c on c.store_id = range.store_id
    and c.at >= to_timestamp(range.start / 1000) and c.at < to_timestamp(range.stop / 1000)
  join entry on entry.id = c.id
  order by range.index, c.at, c.id`;
