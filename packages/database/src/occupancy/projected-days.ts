import { occupancyAtEnd } from '@visitor-counter/domain/occupancy';
import { type Db, numberArray, numberColumns, runStatement } from '../sql/query-builder.ts';
import { foldTimes } from './fold.ts';

/** A store and its business day. */
interface StoreDay {
  readonly storeId: number;
  /** YYYY-MM-DD */
  readonly date: string;
  /** Epoch ms. */
  readonly start: number;
}

interface StoreOccupancy {
  readonly occupancy: number;
  /** The instant (epoch ms) of the latest crossing or correction since the start; undefined when there is none. */
  readonly latest: number | undefined;
}

/**
 * The occupancy of stores, each of them once, at `now` (epoch ms) in their business days, in the order of `days`; later
 * crossings do not count. Reads the projected days, and crossings only of a day that has some after now. `db` must be a
 * snapshot, because this runs several statements.
 */
export async function occupancies(db: Db, days: readonly StoreDay[], now: number): Promise<StoreOccupancy[]> {
  if (days.length === 0) return [];
  const values = [...numberColumns(days, 'storeId'), days.map(({ date }) => date)];
  const rows = await runStatement<{ place: number; occupancy: number; latest: number }>(
    db,
    occupancyStatement,
    values,
  );
  const found = new Map<number, StoreOccupancy>(
    rows.map(({ place, occupancy, latest }) => [place, { occupancy, latest }]),
  );
  const ahead = rows.filter(({ latest }) => latest > now).map(({ place }) => place);
  const times = ahead.map((place) => {
    const { storeId = 0, start = now } = days[place] ?? {};
    return { storeId, from: start, to: now + 1 };
  });
  for (const [index, { stretch, latest }] of (await foldTimes(db, times)).entries())
    found.set(ahead[index] ?? 0, { occupancy: occupancyAtEnd(0, stretch), latest: latest ?? undefined });
  return days.map((_, place) => found.get(place) ?? { occupancy: 0, latest: undefined });
}

const occupancyStatement = `
  select place - 1 as place, occupancy, epoch_ms(latest_at) as latest
  from unnest($1::integer[], $2::date[]) with ordinality as wanted (store_id, date, place)
  join day using (store_id, date)`;

/** By store, a text that changes whenever a day of it from a date on is written; without stores that have none. */
export async function dayVersions(
  db: Db,
  storeIds: readonly number[],
  since: string,
): Promise<ReadonlyMap<number, string>> {
  const values = [numberArray(storeIds), since];
  const rows = await runStatement<{ storeId: number; version: string }>(db, versionsStatement, values);
  return new Map(rows.map(({ storeId, version }) => [storeId, version]));
}

const versionsStatement = `
  select store_id, string_agg(date || ':' || day.xmin, ',' order by date) as version
  from day where store_id = any($1) and date >= $2
  group by store_id`;
