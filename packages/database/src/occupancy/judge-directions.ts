import { type BusinessCalendar, businessDayOf } from '@visitor-counter/domain/business-day';
import { isDirectionDoubtful, RunningSum, scoreAfterDay } from '@visitor-counter/domain/direction-doubt';
import { type Kysely, sql } from 'kysely';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import type { Database } from '../sql/connect.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { everybody } from './fold.ts';
import { type Quarter, quarterOf, startOfQuarter } from './quarter.ts';

/** How far back the first judgement of a store reads (ms). */
const firstRange = 14 * 24 * 60 * 60_000;

/** Stores that are read at a time. */
const chunk = 500;

/** The longest pause of a process within the transaction (ms). */
const idleTimeout = 30_000;

interface JudgedStore extends BusinessCalendar {
  readonly id: number;
  /** Epoch ms; null for a store that has not been judged yet. */
  readonly judgedUntil: number | null;
  readonly score: number;
}

interface Verdict {
  readonly storeId: number;
  readonly dayStart: number;
  readonly score: number;
  readonly isDoubtful: boolean;
}

/**
 * Finds the stores whose exits precede their entries at `now` (epoch ms), and writes which of their devices are
 * suspected of counting in the wrong direction. Reads the quarter hours of the present business day, and of those
 * since the last judgement. One process at a time; another returns immediately.
 */
export async function judgeDirections({ kysely }: Pick<Database, 'kysely'>, now: number): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    if (!(await tryLock(trx, lockKeys.directions, idleTimeout))) return;
    for (let after = 0; ; ) {
      const stores = await readStores(trx, after);
      if (stores.length === 0) return;
      after = stores.at(-1)?.id ?? after;
      await write(trx, await judge(trx, stores, now), now);
    }
  });
}

async function readStores(trx: Kysely<DB>, after: number): Promise<JudgedStore[]> {
  const { rows } = await sql<JudgedStore>`
    select store.id, time_zone as "timeZone", day_starts_at as "dayStartsAt", coalesce(direction.score, 0) as score,
      ${epochMs('direction.day_start')} as "judgedUntil"
    from store left join store_direction direction on direction.store_id = store.id
    where store.id > ${after} order by store.id limit ${chunk}`.execute(trx);
  return rows;
}

interface QuarterRow extends Quarter {
  readonly sum: number;
  readonly floor: number;
}

async function judge(trx: Kysely<DB>, stores: readonly JudgedStore[], now: number): Promise<Verdict[]> {
  const begins = stores.map(({ judgedUntil }) => judgedUntil ?? now - firstRange);
  const { rows } = await sql<QuarterRow>`
    select asked.id as "storeId", quarter, sum, floor
    from unnest(${stores.map(({ id }) => id)}::integer[], ${begins.map(quarterOf)}::integer[]) as asked (id, first)
    cross join lateral (
      select quarter, sum, floor from quarter_state
      where store_id = asked.id and quarter between asked.first and ${quarterOf(now)}
        and sum > ${-everybody / 2}
      offset 0
    ) counted
    order by asked.id, quarter`.execute(trx);
  const quarters = Map.groupBy(rows, ({ storeId }) => storeId);
  return stores.flatMap((store) => verdictOf(store, quarters.get(store.id) ?? [], now));
}

/**
 * No verdict for a store whose time zone no longer exists, and none before the first crossing of a store: a later judgement
 * does not read earlier days, and a new unit may deliver days of the past, which should count in its favour.
 */
function verdictOf(store: JudgedStore, quarters: readonly QuarterRow[], now: number): Verdict[] {
  if (store.judgedUntil === null && quarters.length === 0) return [];
  let { score } = store;
  try {
    const today = businessDayOf(now, store);
    let day = quarters[0] ? businessDayOf(startOfQuarter(quarters[0].quarter), store) : today;
    let sums = new RunningSum();
    for (const { quarter, sum, floor } of quarters) {
      const at = startOfQuarter(quarter);
      if (at >= day.end) {
        score = scoreAfterDay(score, sums);
        sums = new RunningSum();
        day = businessDayOf(at, store);
      }
      sums.add(sum, Math.min(0, sum - floor));
    }
    if (day.start < today.start) {
      score = scoreAfterDay(score, sums);
      sums = new RunningSum();
    }
    return [
      { storeId: store.id, dayStart: today.start, score, isDoubtful: isDirectionDoubtful(score, sums) },
    ];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

async function write(trx: Kysely<DB>, verdicts: readonly Verdict[], now: number): Promise<void> {
  const doubtful = verdicts.filter(({ isDoubtful }) => isDoubtful).map(({ storeId }) => storeId);
  await sql`
    insert into store_direction as known (store_id, day_start, score)
    select id, to_timestamp(day_start / 1000), score from unnest(
      ${verdicts.map(({ storeId }) => storeId)}::integer[], ${verdicts.map(({ dayStart }) => dayStart)}::float8[],
      ${verdicts.map(({ score }) => score)}::integer[]
    ) as verdict (id, day_start, score)
    order by id
    on conflict (store_id) do update set day_start = excluded.day_start, score = excluded.score
    where (known.day_start, known.score) is distinct from (excluded.day_start, excluded.score)`.execute(trx);
  await sql`
    update device set direction_doubtful_since = null where direction_doubtful_since is not null and id in (
      select device_id from device_assignment where store_id = any(${verdicts.map(({ storeId }) => storeId)}::integer[])
        and not store_id = any(${doubtful}::integer[])
    ) and not exists (
      select from device_assignment where device_id = device.id and store_id = any(${doubtful}::integer[])
    )`.execute(trx);
  if (doubtful.length > 0) await suspect(trx, doubtful, now);
}

/**
 * Of a store with several doors, those that saw more exits than entries within the last business days. `offset 0`, here and
 * above, makes the database look up these days by their keys, whatever it estimates.
 */
async function suspect(trx: Kysely<DB>, storeIds: readonly number[], now: number): Promise<void> {
  await sql`
    update device set direction_doubtful_since = ${timestamp(now)}
    where direction_doubtful_since is null and id in (
      select device_id from store_direction judged
      cross join lateral (
        select device_id, entries, exits from quarter
        where store_id = judged.store_id and quarter <= ${quarterOf(now)}::integer
          and quarter >= floor(extract(epoch from judged.day_start - interval '1 day') / 900)::integer
        offset 0
      ) counted
      where judged.store_id = any(${storeIds}::integer[])
      group by judged.store_id, device_id having sum(entries) < sum(exits)
    )`.execute(trx);
}
