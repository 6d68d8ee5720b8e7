import { actsIn, everybody } from '../occupancy/fold.ts';
import type { Quarter } from '../occupancy/quarter.ts';
import { type Db, numberColumns, runStatement } from '../sql/query-builder.ts';

/** A quarter hour to fold. */
export interface MarkedQuarter extends Quarter {
  /** The earliest instant that has changed in it (epoch ms); null if any may have. */
  readonly first: number | null;
}

/** How many quarter hours were folded, and of how many of them all crossings were read. */
export interface Refolded {
  readonly quarters: number;
  readonly whole: number;
}

/**
 * Folds quarter hours, each of them once, from crossings and corrections, and writes what they contain. If nothing has
 * changed before the instant at which a quarter is settled, only what follows it is read.
 */
export async function refold(trx: Db, quarters: readonly MarkedQuarter[]): Promise<Refolded> {
  if (quarters.length === 0) return { quarters: 0, whole: 0 };
  const values = numberColumns(quarters, 'storeId', 'quarter', 'first');
  const [row] = await runStatement<{ whole: number }>(trx, statement, values);
  return { quarters: quarters.length, whole: row?.whole ?? 0 };
}

/**
 * How long before its latest instant a quarter is settled. Crossings of two doors of a store arrive out of order by some
 * hundred milliseconds all the time.
 */
const unsettled = `interval '3 seconds'`;

/** What a crossing or correction was before: then it is in the settled part of its quarter. */
const isSettled = `at < latest - ${unsettled}`;

/** `x -> greatest(floor, x + sum)` and the highest occupancy, of the settled part that is known and what follows it. */
const composed = (part: '' | 'settled_') => `
  greatest(known_sum + ${part}total, -${everybody}),
  greatest(known_floor + ${part}total, ${part}total - ${part}low),
  greatest(known_peak_sum, known_sum + ${part}top),
  greatest(known_peak_floor, ${part}rise, known_floor + ${part}top)`;

const aggregates = (part: '' | 'settled_') => {
  const filter = part === '' ? '' : `filter (where ${isSettled})`;
  return `
    coalesce(sum(change) ${filter}, 0) as ${part}total, coalesce(min(low) ${filter}, 0) as ${part}low,
    greatest(0, max(total) ${filter}) as ${part}top, coalesce(max(total - low) ${filter}, 0) as ${part}rise`;
};

const counts = (filter: string) => `count(*) filter (where ${filter})`;

/*
 * `folded` has one row for each quarter (is_state) and one for each device in it. `offset 0` makes the database read each
 * quarter through the index by store, whatever it estimates. A tail is empty if its crossings were removed and the mark of
 * that has not been read yet: it stays until then, because its settled part may contain others.
 */
const statement = `
  with marked as materialized (
    select wanted.store_id, wanted.quarter, quarter_start(wanted.quarter + 1) as stop,
      coalesce(to_timestamp(first / 1000) >= settled_at, false) as is_tail,
      settled_at, settled_sum, settled_floor, settled_peak_sum, settled_peak_floor
    from unnest($1::integer[], $2::integer[], $3::float8[]) as wanted (store_id, quarter, first)
    left join quarter_state state on state.store_id = wanted.store_id and state.quarter = wanted.quarter
  ), begun as materialized (
    select store_id, quarter, stop, is_tail,
      case when is_tail then settled_at else quarter_start(quarter) end as start,
      case when is_tail then settled_sum else 0 end as known_sum,
      case when is_tail then settled_floor else 0 end as known_floor,
      case when is_tail then settled_peak_sum else 0 end as known_peak_sum,
      case when is_tail then settled_peak_floor else 0 end as known_peak_floor
    from marked
  ), folded as materialized (
    select begun.*, one.*
    from begun cross join lateral (
      select grouping(device_id) = 1 as is_state, device_id,
        array_agg(distinct device_id) filter (where device_id is not null) as devices,
        max(at) as latest, ${aggregates('')}, ${aggregates('settled_')},
        ${counts('change = 1')} as entries, ${counts('change = -1')} as exits,
        ${counts(`change = 1 and ${isSettled}`)} as settled_entries,
        ${counts(`change = -1 and ${isSettled}`)} as settled_exits
      from (${actsIn('begun.store_id', 'begun.start', 'begun.stop')}) act
      group by grouping sets ((), (device_id))
      offset 0
    ) one
  ), emptied as (
    delete from quarter_state state using folded
    where is_state and not is_tail and folded.latest is null
      and state.store_id = folded.store_id and state.quarter = folded.quarter
  ), stated as (
    insert into quarter_state (
      store_id, quarter, sum, floor, peak_sum, peak_floor, latest_at,
      settled_sum, settled_floor, settled_peak_sum, settled_peak_floor, settled_at
    )
    select store_id, quarter, ${composed('')}, latest, ${composed('settled_')}, greatest(start, latest - ${unsettled})
    from folded where is_state and latest is not null
    on conflict (store_id, quarter) do update set
      sum = excluded.sum, floor = excluded.floor, peak_sum = excluded.peak_sum, peak_floor = excluded.peak_floor,
      latest_at = excluded.latest_at, settled_sum = excluded.settled_sum, settled_floor = excluded.settled_floor,
      settled_peak_sum = excluded.settled_peak_sum, settled_peak_floor = excluded.settled_peak_floor,
      settled_at = excluded.settled_at
  ), uncounted as (
    delete from quarter known using folded
    where is_state and not is_tail and known.store_id = folded.store_id and known.quarter = folded.quarter
      and not known.device_id = any(coalesce(devices, '{}'))
  ), counted as (
    insert into quarter (store_id, quarter, device_id, entries, exits, settled_entries, settled_exits)
    select folded.store_id, folded.quarter, folded.device_id,
      coalesce(known.settled_entries, 0) + folded.entries, coalesce(known.settled_exits, 0) + folded.exits,
      coalesce(known.settled_entries, 0) + folded.settled_entries, coalesce(known.settled_exits, 0) + folded.settled_exits
    from folded left join quarter known on is_tail and known.store_id = folded.store_id
      and known.quarter = folded.quarter and known.device_id = folded.device_id
    where not is_state and folded.device_id is not null
    on conflict (store_id, quarter, device_id) do update set entries = excluded.entries, exits = excluded.exits,
      settled_entries = excluded.settled_entries, settled_exits = excluded.settled_exits
  )
  select count(*) filter (where not is_tail) as whole from begun`;

/** A business day of a store: its quarters are those from `first` to the one before `next`. */
export interface DayToWrite {
  readonly storeId: number;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly first: number;
  readonly next: number;
}

/** Derives business days, each of them once, from their quarter hours. A day without any has no row. */
export async function writeDays(trx: Db, days: readonly DayToWrite[]): Promise<void> {
  if (days.length === 0) return;
  const values = [...numberColumns(days, 'storeId', 'first', 'next'), days.map(({ date }) => date)];
  await runStatement(trx, daysStatement, values);
}

/**
 * The occupancy after a quarter is that of the fold of all functions `x -> greatest(floor, x + sum)` up to it, from 0 on:
 * the sum of all, or a floor and the sums after it.
 */
const daysStatement = `
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
