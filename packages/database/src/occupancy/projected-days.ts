import {
  type BusinessCalendar,
  type BusinessDay,
  businessDayOf,
  onceForEachCalendar,
} from '@visitor-counter/domain/business-day';
import { occupancyAtEnd } from '@visitor-counter/domain/occupancy';
import { type Db, numberArray, runStatement } from '../sql/query-builder.ts';
import { foldTimes } from './fold.ts';

interface CalendarOfStore {
  readonly id: number;
  readonly calendar: BusinessCalendar;
}

interface StoreOccupancy<Store> {
  readonly store: Store;
  /** The present business day. */
  readonly day: BusinessDay;
  readonly occupancy: number;
  /** The instant (epoch ms) of the latest crossing or correction of the day; undefined when there is none. */
  readonly latest: number | undefined;
}

/**
 * The occupancy of stores, each of them once, at `now` (epoch ms), in their order; later crossings do not count. Reads the
 * projected days, and crossings only of a day that has some after now. `db` must be a snapshot, because this runs several
 * statements.
 */
export async function occupancies<Store extends CalendarOfStore>(
  db: Db,
  stores: readonly Store[],
  now: number,
): Promise<StoreOccupancy<Store>[]> {
  if (stores.length === 0) return [];
  const dayOf = onceForEachCalendar((calendar) => businessDayOf(now, calendar));
  const days = stores.map((store) => ({ store, day: dayOf(store.calendar) }));
  const rows = await runStatement<{ place: number; occupancy: number; latest: number }>(
    db,
    occupancyStatement,
    [numberArray(stores.map(({ id }) => id)), days.map(({ day }) => day.date)],
  );
  const found = new Map<number, { readonly occupancy: number; readonly latest: number | undefined }>(
    rows.map(({ place, occupancy, latest }) => [place, { occupancy, latest }]),
  );
  const ahead = rows.filter(({ latest }) => latest > now).map(({ place }) => place);
  const times = ahead.flatMap((place) => {
    const one = days[place];
    return one ? [{ storeId: one.store.id, from: one.day.start, to: now + 1 }] : [];
  });
  for (const [index, { stretch, latest }] of (await foldTimes(db, times)).entries())
    found.set(ahead[index] ?? 0, { occupancy: occupancyAtEnd(0, stretch), latest: latest ?? undefined });
  return days.map((one, place) => ({ ...one, occupancy: 0, latest: undefined, ...found.get(place) }));
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
