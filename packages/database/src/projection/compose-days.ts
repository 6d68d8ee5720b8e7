import { businessDays, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { composeFolded, type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import { type Quarter, quarterOf, startOfQuarter, stretchColumns } from '../occupancy/quarter.ts';
import { type QuarterRange, readQuarters } from '../occupancy/read-quarters.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';

/** A changed quarter whose day must be composed, the calendar of its store, and the bounds of the latest row before it. */
interface Due extends Quarter {
  readonly timeZone: string;
  readonly dayStartsAt: string;
  readonly first: number | null;
  readonly next: number | null;
}

/** A day has fewer quarters, also where clocks are set back; see the table. */
const mostQuarters = 128;

/**
 * Composes the completed quarters of each business day in which one of the quarters `changed` is into one row of its store;
 * `now` in epoch ms. For the present day that is necessary once in a quarter hour, and whenever a quarter that is in its
 * row changes. A row always equals the quarters that it names.
 *
 * The row of a day that has ended still lacks its last quarters: it is completed with the first change of a later day.
 */
export async function composeDays(
  client: ClientBase,
  changed: readonly Quarter[],
  now: number,
): Promise<void> {
  const due = await runStatement<Due>(client, 'find-days-to-compose', findStatement, [
    ...numberColumns(changed, 'storeId', 'quarter'),
    quarterOf(now),
  ]);
  if (due.length === 0) return;
  await runStatement(client, 'remove-days', removeDaysStatement, numberColumns(due, 'storeId', 'quarter'));
  const days = daysOf(due, quarterOf(now));
  if (days.length === 0) return;
  const folded = await foldDays(client, days);
  await runStatement(client, 'write-days', writeStatement, [
    ...numberColumns(days, 'storeId', 'first', 'next'),
    ...stretchColumns(folded.map(({ stretch }) => stretch)),
    numberArray(folded.map(({ latest }) => latest)),
  ]);
}

/** The days to compose, by store and time, up to the quarter before `now`; none that begins within a quarter. */
function daysOf(due: readonly Due[], now: number): QuarterRange[] {
  const dayOf = onceForEachCalendar(businessDays);
  const days = new Map<string, QuarterRange>();
  for (const { storeId, quarter, timeZone, dayStartsAt, ...latest } of due) {
    const rangeAt = (within: number): QuarterRange | undefined => {
      const { start, end } = dayOf({ timeZone, dayStartsAt })(startOfQuarter(within));
      const [first, next] = [quarterOf(start), Math.min(quarterOf(end), now)];
      const isWhole = start === startOfQuarter(first) && next > first && next < first + mostQuarters;
      return isWhole ? { storeId, first, next } : undefined;
    };
    const own = rangeAt(quarter);
    const before = latest.first === null ? undefined : rangeAt(latest.first);
    const isShort = before?.first === latest.first && before.next > (latest.next ?? 0);
    for (const day of [own, isShort ? before : undefined]) if (day) days.set(`${storeId} ${day.first}`, day);
  }
  return [...days.values()].sort((a, b) => a.storeId - b.storeId || a.first - b.first);
}

/** What the quarters of ranges, given by store and time, do together. */
async function foldDays(client: ClientBase, days: readonly QuarterRange[]): Promise<Folded[]> {
  const states = await readQuarters(client, days);
  const folded = days.map(() => nothingFolded);
  let place = 0;
  for (let index = 0; index < states.length; index += 1) {
    const [storeId, quarter] = [states.storeId(index), states.quarter(index)];
    const isAfter = ({ storeId: id, next }: QuarterRange) =>
      id < storeId || (id === storeId && next <= quarter);
    for (let day = days[place]; day !== undefined && isAfter(day); day = days[place]) place += 1;
    folded[place] = composeFolded(folded[place] ?? nothingFolded, states.folded(index));
  }
  return folded;
}

/* A quarter that is not in a row of its day is due, unless the row has everything before the present quarter. */
const findStatement = `
  select changed.store_id as "storeId", quarter, time_zone as "timeZone", day_starts_at as "dayStartsAt",
    latest.first, latest.next
  from unnest($1::integer[], $2::integer[]) as changed (store_id, quarter)
  join store on store.id = changed.store_id
  cross join lateral (
    select coalesce(bool_or(next_quarter > quarter), false) as contains,
      coalesce(bool_or(next_quarter = $3::integer), false) as is_present
    from store_day day
    where day.store_id = changed.store_id and first_quarter > quarter - ${mostQuarters} and first_quarter <= quarter
  ) row
  left join lateral (
    select first_quarter as first, next_quarter as next from store_day day
    where day.store_id = changed.store_id and first_quarter <= quarter
    order by first_quarter desc limit 1
  ) latest on true
  where contains or not is_present`;

/** Removes the rows of days that contain these quarters. */
const removeDaysStatement = `
  delete from store_day day using unnest($1::integer[], $2::integer[]) as changed (store_id, quarter)
  where day.store_id = changed.store_id and first_quarter > quarter - ${mostQuarters} and first_quarter <= quarter
    and next_quarter > quarter`;

const writeStatement = `
  insert into store_day as day
    (store_id, first_quarter, next_quarter, entries, exits, sum, floor, peak_sum, peak_floor, latest_at)
  select store_id, first, next, counted.entries, counted.exits, sum, floor, peak_sum, peak_floor,
    to_timestamp(latest / 1000)
  from unnest(
    $1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
    $8::double precision[]
  ) as folded (store_id, first, next, sum, floor, peak_sum, peak_floor, latest)
  cross join lateral (
    select coalesce(sum(entries), 0)::integer as entries, coalesce(sum(exits), 0)::integer as exits
    from device_quarter device
    where device.store_id = folded.store_id and quarter >= first and quarter < next
  ) counted
  on conflict (store_id, first_quarter) do update set
    next_quarter = excluded.next_quarter, entries = excluded.entries, exits = excluded.exits, sum = excluded.sum,
    floor = excluded.floor, peak_sum = excluded.peak_sum, peak_floor = excluded.peak_floor,
    latest_at = excluded.latest_at`;
