import type { Kysely } from 'kysely';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';

/** A business day of a store: its quarters are those from `first` to the one before `next`. */
export interface DayToWrite {
  readonly storeId: number;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly first: number;
  readonly next: number;
}

/** Derives business days, each of them once, from their quarter hours. A day without any has no row. */
export async function writeDays(trx: Kysely<DB>, days: readonly DayToWrite[]): Promise<void> {
  if (days.length === 0) return;
  const values = [...numberColumns(days, 'storeId', 'first', 'next'), days.map(({ date }) => date)];
  await runStatement(trx, statement, values);
}

/**
 * The occupancy after a quarter is that of the fold of all functions `x -> greatest(floor, x + sum)` up to it, from 0 on:
 * the sum of all, or a floor and the sums after it.
 */
const statement = `
  with wanted as materialized (
    select * from unnest($1::integer[], $2::integer[], $3::integer[], $4::date[]) as wanted (store_id, first, next, date)
  ), derived as materialized (
    select wanted.store_id, wanted.date, entries, exits, occupancy, peak, latest_at
    from wanted cross join lateral (
      select coalesce(sum(entries), 0) as entries, coalesce(sum(exits), 0) as exits
      from quarter where quarter.store_id = wanted.store_id and quarter >= first and quarter < next
      offset 0
    ) counted cross join lateral (
      select max(occupancy) filter (where is_last) as occupancy, greatest(0, max(peak)) as peak,
        max(latest_at) as latest_at
      from (
        select latest_at, occupancy, lead(quarter) over (order by quarter) is null as is_last,
          greatest(peak_floor, coalesce(lag(occupancy) over (order by quarter), 0) + peak_sum) as peak
        from (
          select *, total + greatest(0, max(floor - total) over (order by quarter)) as occupancy
          from (
            select quarter, floor, peak_sum, peak_floor, latest_at, sum(state.sum) over (order by quarter) as total
            from quarter_state state where state.store_id = wanted.store_id and quarter >= first and quarter < next
          ) summed
        ) folded
      ) quarters
      offset 0
    ) state
  ), emptied as (
    delete from day using derived
    where derived.latest_at is null and day.store_id = derived.store_id and day.date = derived.date
  )
  insert into day (store_id, date, entries, exits, occupancy, peak, latest_at)
  select * from derived where latest_at is not null
  on conflict (store_id, date) do update set entries = excluded.entries, exits = excluded.exits,
    occupancy = excluded.occupancy, peak = excluded.peak, latest_at = excluded.latest_at`;
