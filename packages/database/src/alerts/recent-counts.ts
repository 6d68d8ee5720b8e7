import { sql } from 'kysely';
import { quarterOf, quartersPerDay, quartersPerWeek } from '../occupancy/quarter.ts';
import { anyOf, type Db, integers } from '../sql/query-builder.ts';
import { joinCurrentStore } from '../stores/store-facts.ts';

/** Entries of a store in a quarter hour (counted from 1970 in UTC). */
interface QuarterEntries {
  readonly storeId: number;
  readonly quarter: number;
  readonly entries: number;
}

/* `offset 0` makes the database look up the quarter hours of each store by their key, whatever it estimates. */

/** The quarter hours since an instant (epoch ms) in which people came into those of the stores that have opening hours. */
export async function entriesSince(
  db: Db,
  storeIds: readonly number[],
  since: number,
): Promise<QuarterEntries[]> {
  const { rows } = await sql<QuarterEntries>`
    select store.id as store_id, counted.quarter, counted.entries
    from store
    cross join lateral (
      select quarter, sum(entries) as entries from quarter
      where quarter.store_id = store.id and quarter >= ${quarterOf(since)}
      group by quarter having sum(entries) > 0
      offset 0
    ) counted
    where store.id = ${anyOf(storeIds)} and opening_hours is not null
    order by 1, 2`.execute(db);
  return rows;
}

/** A door that nobody passed lately. */
export interface QuietDoor {
  readonly storeId: number;
  readonly deviceId: number;
  /** The quarter hour in which somebody passed last, at most a day before; null if that was earlier. */
  readonly last: number | null;
  /** The first quarter hour in which somebody passed, at most `weeks` ago. */
  readonly first: number;
}

/** The doors in use of stores that counted nothing in the quarter hours from `since` to `now` (epoch ms). */
export async function quietDoors(
  db: Db,
  storeIds: readonly number[],
  { since, now, weeks }: { readonly since: number; readonly now: number; readonly weeks: number },
): Promise<QuietDoor[]> {
  const [begin, end] = [quarterOf(since), quarterOf(now)];
  const { rows } = await sql<QuietDoor>`
    select current.store_id, device.id as device_id, earliest.quarter as first, latest.quarter as last
    from (
      select distinct device_id from device_assignment where store_id = ${anyOf(storeIds)}
    ) candidate
    join device on device.id = candidate.device_id and device.retired_at is null
    ${joinCurrentStore()}
    cross join lateral (
      select quarter from quarter
      where store_id = current.store_id and device_id = device.id
        and quarter >= ${end - weeks * quartersPerWeek} and quarter <= ${end - 3 * quartersPerWeek}
      order by quarter limit 1
    ) earliest
    left join lateral (
      select quarter from quarter
      where store_id = current.store_id and device_id = device.id
        and quarter between ${end - 96} and ${end} and entries + exits > 0
      order by quarter desc limit 1
    ) latest on true
    where current.store_id = ${anyOf(storeIds)}
      and coalesce(latest.quarter, 0) < ${begin}
    order by 1, 2`.execute(db);
  return rows;
}

/** Entries and exits of a door in a quarter hour. */
interface DoorQuarter {
  readonly deviceId: number;
  readonly quarter: number;
  readonly count: number;
}

/**
 * What doors counted in the quarter hours from `from` to `to`, each widened by two hours, and in the same ones of the
 * `weeks` weeks before.
 */
export async function sameQuarters(
  db: Db,
  doors: readonly { readonly storeId: number; readonly deviceId: number; readonly from: number }[],
  to: number,
  weeks: number,
): Promise<DoorQuarter[]> {
  const { rows } = await sql<DoorQuarter>`
    select counted.device_id, counted.quarter, counted.entries + counted.exits as count
    from unnest(
      ${integers(doors.map(({ storeId }) => storeId))},
      ${integers(doors.map(({ deviceId }) => deviceId))},
      ${integers(doors.map(({ from }) => from))}
    ) as door (store_id, device_id, first)
    cross join generate_series(0, ${weeks}) as week
    cross join lateral (
      select quarter, entries, exits, device_id from quarter
      where store_id = door.store_id and device_id = door.device_id
        and quarter between door.first - 8 - week * ${quartersPerWeek}
          and ${to} + 8 - week * ${quartersPerWeek}
      offset 0
    ) counted`.execute(db);
  return rows;
}

/** What a door counted in the last three and seven business days, and in the four weeks before these. */
interface DoorDaysRow {
  readonly storeId: number;
  readonly deviceId: number;
  readonly threeIn: number;
  readonly threeOut: number;
  readonly weekIn: number;
  readonly weekOut: number;
  readonly beforeIn: number;
  readonly beforeOut: number;
  /** The number of doors in use of its store. */
  readonly doors: number;
}

/** The doors in use of stores, whose present business days begin with the quarter hours `starts`. */
export async function doorDays(
  db: Db,
  storeIds: readonly number[],
  starts: readonly number[],
): Promise<DoorDaysRow[]> {
  const sum = (direction: string, from: number, to: number) =>
    sql.raw(
      `coalesce(sum(${direction}) filter (where quarter >= start - ${from * quartersPerDay} and quarter < start - ${to * quartersPerDay}), 0)`,
    );
  const { rows } = await sql<DoorDaysRow>`
    select counted.*, count(*) over (partition by store_id) as doors from (
      select store_id, device_id,
        ${sum('entries', 3, 0)} as three_in, ${sum('exits', 3, 0)} as three_out,
        ${sum('entries', 7, 0)} as week_in, ${sum('exits', 7, 0)} as week_out,
        ${sum('entries', 35, 7)} as before_in, ${sum('exits', 35, 7)} as before_out
      from unnest(${integers(storeIds)}, ${integers(starts)}) as store (store_id, start)
      cross join lateral (
        select device_id, quarter, entries, exits from quarter
        where quarter.store_id = store.store_id and quarter >= start - ${35 * quartersPerDay} and quarter < start
        offset 0
      ) counted
      join device on device.id = device_id and device.retired_at is null
      group by store_id, device_id
    ) counted`.execute(db);
  return rows;
}
