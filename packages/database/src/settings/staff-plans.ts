import type { StaffPassage, StaffPlan } from '@visitor-counter/domain/staff-plan';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { type Kysely, type NotNull, sql } from 'kysely';
import { anyOf } from '../sql/arrays.ts';
import { instant } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** The staff of a store: what is declared by plans, in order of `since`, and what was tapped, in order. */
export interface Staff {
  readonly plans: readonly StaffPlan[];
  readonly passages: readonly StaffPassage[];
}

/** The staff of those of the stores that have some, with what was tapped from one instant to another (epoch ms). */
export async function staffOf(
  db: Kysely<DB>,
  storeIds: readonly number[],
  from: number,
  to: number,
): Promise<ReadonlyMap<number, Staff>> {
  const plans = await staffPlansOf(db, storeIds);
  const tapped = await db
    .selectFrom('staffPassageInForce')
    .select(['storeId', 'at', 'people'])
    .where('storeId', '=', anyOf(storeIds))
    .where('at', '>=', instant(from))
    .where('at', '<', instant(to))
    .orderBy('storeId')
    .orderBy('at')
    .orderBy('id')
    .$narrowType<{ storeId: NotNull; at: NotNull; people: NotNull }>()
    .execute();
  const passages = Map.groupBy(tapped, ({ storeId }) => storeId);
  const ids = new Set([...plans.keys(), ...passages.keys()]);
  return new Map(
    [...ids].map((id) => [id, { plans: plans.get(id) ?? [], passages: passages.get(id) ?? [] }]),
  );
}

/** The staff plans of those of the stores that have some, in order of `since`. Equal plans are one object. */
export async function staffPlansOf(
  db: Kysely<DB>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, readonly StaffPlan[]>> {
  const { rows } = await sql<{ plans: StaffPlan[]; ids: number[] }>`
    select plans::json as plans, array_agg(store_id) as ids from (
      select store_id, json_agg(json_build_object('since', since, 'week', week) order by since)::text as plans
      from staff_plan where store_id = ${anyOf(storeIds)} group by store_id
    ) planned
    group by plans`.execute(db);
  return new Map(rows.flatMap(({ plans, ids }) => ids.map((id) => [id, plans] as const)));
}

/** The plan that is shown and changed: the last one, unless it declares nothing. */
export function currentPlan(plans: readonly StaffPlan[]): StaffPlan | null {
  const last = plans.at(-1);
  return last !== undefined && Object.values(last.week).some(({ length }) => length > 0) ? last : null;
}

/**
 * Sets what is declared for the business days of a store from a date on, until another plan is set; earlier days keep
 * theirs. Null: nothing any more, from the date `today` on.
 */
export async function writeStaffPlan(
  db: Kysely<DB>,
  storeId: number,
  plan: StaffPlan | null,
  today: IsoDate,
): Promise<void> {
  const { since, week } = plan ?? { since: today, week: {} };
  await db.deleteFrom('staffPlan').where('storeId', '=', storeId).where('since', '>=', since).execute();
  const earlier = db.selectFrom('staffPlan').select('since').where('storeId', '=', storeId).limit(1);
  if (plan !== null || (await earlier.executeTakeFirst()))
    await db
      .insertInto('staffPlan')
      .values({ storeId, since, week: JSON.stringify(week) })
      .execute();
}
