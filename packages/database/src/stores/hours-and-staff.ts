import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import { readStaffPlan, type StaffPassage, type StaffPlan } from '@visitor-counter/domain/staff-plan';
import { type NotNull, sql } from 'kysely';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';

/** The opening hours of those of the stores that have some; the others are always open. Equal hours are one object. */
export async function openingHoursOf(
  db: Db,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, OpeningHours>> {
  const { rows } = await sql<{ hours: OpeningHours; ids: number[] }>`
    select (array_agg(opening_hours))[1] as hours, array_agg(id) as ids from store
    where id = ${anyOf(storeIds)} and opening_hours is not null group by opening_hours::text`.execute(db);
  return new Map(rows.flatMap(({ hours, ids }) => ids.map((id) => [id, hours] as const)));
}

/** The staff of a store: what is declared by plans, in order of `since`, and what was tapped, in order. */
export interface Staff {
  readonly plans: readonly StaffPlan[];
  readonly passages: readonly StaffPassage[];
}

/** The staff of those of the stores that have some, with what was tapped from one instant to another (epoch ms). */
export async function staffOf(
  db: Db,
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

/**
 * The staff plans of those of the stores that have some, in order of `since`. Equal plans are one object. Invalid ones, which
 * only SQL by hand can store, are left out: they must not make an answer about other stores fail.
 */
export async function staffPlansOf(
  db: Db,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, readonly StaffPlan[]>> {
  const { rows } = await sql<{ plans: unknown; ids: number[] }>`
    select (array_agg(staff_plans))[1] as plans, array_agg(id) as ids from store
    where id = ${anyOf(storeIds)} and staff_plans is not null group by staff_plans::text`.execute(db);
  return new Map(
    rows.flatMap(({ plans, ids }) => {
      const valid = (Array.isArray(plans) ? plans : []).flatMap((plan) => {
        const read = readStaffPlan(plan, '');
        return 'value' in read ? [read.value] : [];
      });
      return ids.map((id) => [id, valid] as const);
    }),
  );
}

/** The plan that is shown and changed: the last one, unless it declares nothing. */
export function currentPlan(plans: readonly StaffPlan[]): StaffPlan | null {
  const last = plans.at(-1);
  return last !== undefined && Object.values(last.week).some(({ length }) => length > 0) ? last : null;
}
