import { businessDayOf } from '@visitor-counter/domain/business-day';
import { type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import { addQuarters } from '../occupancy/occupancies.ts';
import { type Quarter, quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { type QuartersOf, readQuarters } from '../occupancy/read-quarters.ts';
import { numberArray } from '../sql/arrays.ts';
import type { RunStatement } from '../sql/run-statement.ts';

interface Store {
  readonly id: number;
  readonly time_zone: string;
  readonly day_starts_at: string;
}

/**
 * Composes the completed quarters of the present business day into one row for each store, after `changed` quarters
 * were written; `now` in epoch ms. That is necessary once in a quarter hour, and whenever a quarter that is in a row
 * changes. A row always equals the quarters that it names.
 */
export async function composeDays(
  run: RunStatement,
  changed: readonly Quarter[],
  now: number,
): Promise<void> {
  const next = quarterOf(now);
  const stores = await run<Store>('find-days-to-compose', findStatement, [
    numberArray(changed.map(({ storeId }) => storeId)),
    numberArray(changed.map(({ quarter }) => quarter)),
    next,
  ]);
  if (stores.length === 0) return;
  await run('remove-days', 'delete from occupancy_day where store_id = any($1::integer[])', [
    numberArray(stores.map(({ id }) => id)),
  ]);
  const days = stores.flatMap((store) => presentDay(store, now));
  const sums = new Map<number, Folded>();
  addQuarters(sums, await readQuarters(run, days, next - 1));
  const folded = days.map(({ storeId }) => sums.get(storeId) ?? nothingFolded);
  await run('write-days', writeStatement, [
    numberArray(days.map(({ storeId }) => storeId)),
    numberArray(days.map(({ first }) => first)),
    next,
    numberArray(folded.map(({ stretch }) => stretch.sum)),
    numberArray(folded.map(({ stretch }) => stretch.floor)),
    numberArray(folded.map(({ stretch }) => stretch.peakSum)),
    numberArray(folded.map(({ stretch }) => stretch.peakFloor)),
    numberArray(folded.map(({ latest }) => latest)),
  ]);
}

/** None for a day that begins within a quarter, nor for a time zone that no longer exists. */
function presentDay(
  { id, time_zone: timeZone, day_starts_at: dayStartsAt }: Store,
  now: number,
): QuartersOf[] {
  try {
    const { start } = businessDayOf(now, { timeZone, dayStartsAt });
    const first = quarterOf(start);
    return start === startOfQuarter(first) ? [{ storeId: id, first }] : [];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

const findStatement = `
  select distinct store.id, store.time_zone, store.day_starts_at
  from unnest($1::integer[], $2::integer[]) as changed (store_id, quarter)
  join store on store.id = changed.store_id
  left join occupancy_day day on day.store_id = changed.store_id
  where day.store_id is null or day.next_quarter <> $3::integer
    or (changed.quarter >= day.first_quarter and changed.quarter < day.next_quarter)`;

const writeStatement = `
  insert into occupancy_day (store_id, first_quarter, next_quarter, sum, floor, peak_sum, peak_floor, latest_at)
  select store_id, first, $3::integer, sum, floor, peak_sum, peak_floor, to_timestamp(latest / 1000)
  from unnest(
    $1::integer[], $2::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::double precision[]
  ) as folded (store_id, first, sum, floor, peak_sum, peak_floor, latest)`;
