import { type BusinessCalendar, businessDayOf } from '@visitor-counter/domain/business-day';
import { type CountedDay, isDirectionDoubtful, scoreAfterDay } from '@visitor-counter/domain/direction-doubt';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { sql } from 'kysely';
import { anyOf, type Db, instant, integers, timestamp } from '../sql/query-builder.ts';
import { quarterOf } from './quarter.ts';

/** The business days before the present one that are judged: enough for all credit. */
const judgedDays = 14;

interface DayOfStore extends BusinessCalendar, CountedDay {
  readonly storeId: number;
  readonly date: IsoDate;
}

/**
 * Finds the stores whose exits precede their entries at `now` (epoch ms), and writes which of their devices are
 * suspected of counting in the wrong direction. Days with corrections are left out: these change the occupancy.
 */
export async function judgeDirections(db: Db, now: number): Promise<void> {
  const from = now - (judgedDays + 1) * 86_400_000;
  /* `offset 0`, here and below, makes the database look up the days by their keys, whatever it estimates. */
  const { rows } = await sql<DayOfStore>`
    select store.id as store_id, time_zone, day_starts_at, date, entries, exits, occupancy, peak
    from store cross join lateral (
      select * from day where store_id = store.id and date >= ${instant(from)}::date offset 0
    ) day
    order by store.id, date`.execute(db);
  const corrections = await db
    .selectFrom('correctionInForce')
    .select(['storeId', 'at'])
    .where('at', '>=', instant(from))
    .execute();
  const corrected = Map.groupBy(corrections, ({ storeId }) => storeId);
  const doubtful = [...Map.groupBy(rows, ({ storeId }) => storeId)].flatMap(([storeId, days]) => {
    const [calendar] = days;
    if (calendar === undefined) return [];
    const without = corrected.get(storeId)?.map(({ at }) => businessDayOf(at ?? 0, calendar).date);
    const today = businessDayOf(now, calendar);
    const counted = days.filter(({ date }) => !without?.includes(date));
    return isDoubtful(counted, today.date)
      ? [{ storeId, yesterday: quarterOf(today.start - 86_400_000) }]
      : [];
  });
  await write(db, doubtful, now);
}

function isDoubtful(days: readonly DayOfStore[], today: IsoDate): boolean {
  const before = days.filter(({ date }) => date < today);
  const score = before.reduce(scoreAfterDay, 0);
  const none = { entries: 0, exits: 0, occupancy: 0, peak: 0 };
  return isDirectionDoubtful(score, days.find(({ date }) => date === today) ?? none);
}

/** Of a store with several doors, those are suspected that saw more exits than entries since the day before. */
async function write(
  db: Db,
  stores: readonly { readonly storeId: number; readonly yesterday: number }[],
  now: number,
): Promise<void> {
  const ids = stores.map(({ storeId }) => storeId);
  const ofStores = db.selectFrom('deviceAssignment').select('deviceId').where('storeId', '=', anyOf(ids));
  await db
    .updateTable('device')
    .set({ directionDoubtfulSince: null })
    .where('directionDoubtfulSince', 'is not', null)
    .where('id', 'not in', ofStores)
    .execute();
  await sql`
    update device set direction_doubtful_since = ${timestamp(now)}
    where direction_doubtful_since is null and id in (
      select device_id
      from unnest(${integers(ids)}, ${integers(stores.map(({ yesterday }) => yesterday))})
        as doubtful (store_id, yesterday)
      cross join lateral (
        select device_id, entries, exits from quarter
        where store_id = doubtful.store_id and quarter between yesterday and ${quarterOf(now)}
        offset 0
      ) counted
      group by doubtful.store_id, device_id having sum(entries) < sum(exits)
    )`.execute(db);
}
