import {
  type BusinessCalendar,
  type BusinessDays,
  businessDays,
  onceForEachCalendar,
} from '@visitor-counter/domain/business-day';
import { sql } from 'kysely';
import { quarterAfter, startOfQuarter } from '../occupancy/quarter.ts';
import { anyOf, type Db, numberArray, runStatement } from '../sql/query-builder.ts';
import { type DayToWrite, type MarkedQuarter, type Refolded, refold, writeDays } from './refold.ts';

/** What a round of the projector did. */
export interface Round extends Refolded {
  /** Marks that were read and deleted. */
  readonly marks: number;
  /** When the first of them was written (epoch ms). */
  readonly since: number | undefined;
  /** There may be more marks. */
  readonly more: boolean;
}

/**
 * Folds the quarter hours that are marked, updates their business days, and deletes the marks, in one transaction with
 * one view of the database. A transaction that it does not see has left marks that it does not see, so nothing is missed
 * and nothing is counted twice, in whatever order transactions commit. Only the process that has the projector's lock may
 * call it.
 *
 * Marks of new crossings come before those of quarters that are folded as a whole, of which a move or a rebuild leaves very
 * many. `mostWhole` is how many of these one round reads.
 */
export async function runRound(db: Db, mostWhole = 200): Promise<Round> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => applyMarks(trx, mostWhole));
}

/** How many marks of new crossings one round reads for each mark of a whole quarter. */
const newPerWhole = 10;

/** The most calendars that one round handles: every statement has a deadline. */
const mostCalendars = 10;

async function applyMarks(trx: Db, mostWhole: number): Promise<Round> {
  const mostNew = newPerWhole * mostWhole;
  const found = await runStatement<Marked>(trx, readStatement, [mostNew, mostWhole]);
  if (found.length === 0) return { marks: 0, quarters: 0, whole: 0, since: undefined, more: false };
  const { calendars = [], others = [] } = Object.groupBy(found, ({ quarter }) =>
    quarter === null ? 'calendars' : 'others',
  );
  const marks = [...others, ...calendars.slice(0, mostCalendars)];
  const ids = marks.flatMap((one) => one.ids);
  const open = marks.filter(({ isFrozen }) => !isFrozen);
  const quarters = open.flatMap(({ storeId, quarter, first }): MarkedQuarter[] =>
    quarter === null ? [] : [{ storeId, quarter, first }],
  );
  const recalculated = open.filter(({ quarter }) => quarter === null);
  const days = [...daysOf(open), ...(await allDays(trx, recalculated))];
  const refolded = await refold(trx, quarters);
  await writeDays(trx, onlyOnce(days));
  await runStatement(trx, deleteStatement, [numberArray(ids)]);
  const since = Math.min(...marks.map((one) => one.since));
  const read = found.reduce((sum, one) => sum + one.ids.length, 0);
  return { ...refolded, marks: ids.length, since, more: read >= mostWhole };
}

/** The marks of a quarter hour of a store, or of its calendar, which the store has now. */
interface Marked extends BusinessCalendar {
  readonly storeId: number;
  readonly quarter: number | null;
  readonly ids: readonly number[];
  readonly first: number | null;
  /** Epoch ms. */
  readonly since: number;
  /** Its crossings have been deleted because of their age, or its store does not exist. */
  readonly isFrozen: boolean;
}

const readStatement = `
  select marked.*, store.time_zone, store.day_starts_at,
    store.id is null or coalesce(quarter_start(quarter) < deleted_before, false) as is_frozen
  from (
    select store_id, quarter, json_agg(id) as ids,
      case when bool_and(first is not null) then epoch_ms(min(first)) end as first,
      epoch_ms(min(written_at)) as since
    from (
      (select * from mark where first is not null order by id limit $1)
      union all
      (select * from mark where first is null order by id limit $2)
    ) mark
    group by store_id, quarter
  ) marked
  left join store on store.id = store_id
  left join company on company.id = store.company_id`;

/** Each half has an index of its own. */
const deleteStatement = `
  delete from mark where first is not null and id = any($1) or first is null and id = any($1)`;

/** The business days of marked quarters. */
function daysOf(marks: readonly Marked[]): DayToWrite[] {
  const daysOfCalendar = onceForEachCalendar(businessDays);
  return marks.flatMap((one) =>
    one.quarter === null ? [] : dayAt(one.storeId, daysOfCalendar(one), startOfQuarter(one.quarter)),
  );
}

function dayAt(storeId: number, dayOf: BusinessDays, instant: number): DayToWrite {
  const { date, start, end } = dayOf(instant);
  return { storeId, date, first: quarterAfter(start), next: quarterAfter(end) };
}

/** Deletes the days of stores whose calendars have changed, and returns all days of which they have quarters. */
async function allDays(trx: Db, stores: readonly Marked[]): Promise<DayToWrite[]> {
  if (stores.length === 0) return [];
  const changed = anyOf(stores.map(({ storeId }) => storeId));
  await trx.deleteFrom('day').where('storeId', '=', changed).execute();
  /* The first and the last quarter within twelve hours: more than two business days have no parts in them (but in Apia, where
   * a date was skipped in 2011). */
  const times = await trx
    .selectFrom('quarterState')
    .select(({ fn }) => ['storeId', fn.min('quarter').as('first'), fn.max('quarter').as('last')])
    .where('storeId', '=', changed)
    .groupBy(['storeId', sql`quarter / 48`])
    .orderBy('storeId')
    .orderBy('first')
    .execute();
  const calendarOf = new Map(stores.map((store) => [store.storeId, businessDays(store)]));
  return times.flatMap(({ storeId, first, last }) => {
    const dayOf = calendarOf.get(storeId);
    return dayOf ? [first, last].map((quarter) => dayAt(storeId, dayOf, startOfQuarter(quarter))) : [];
  });
}

function onlyOnce(days: readonly DayToWrite[]): DayToWrite[] {
  return [...new Map(days.map((day) => [`${day.storeId} ${day.date}`, day])).values()];
}
