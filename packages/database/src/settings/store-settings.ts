import { businessDayOf } from '@visitor-counter/domain/business-day';
import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import type { StaffPlan } from '@visitor-counter/domain/staff-plan';
import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit, storeConcerned } from '../audit/record-audit.ts';
import { anyOf } from '../sql/arrays.ts';
import type { DB } from '../sql/schema.ts';
import type { StoreFacts } from '../stores/stores.ts';
import { currentPlan, staffPlansOf, writeStaffPlan } from './staff-plans.ts';

/** What staff may change of a store. */
export interface StoreSettings {
  readonly capacity: number | null;
  /** Null: always open. */
  readonly openingHours: OpeningHours | null;
  /** Null: nothing is declared. */
  readonly staff: StaffPlan | null;
}

export async function readStoreSettings(db: Kysely<DB>, storeId: number): Promise<StoreSettings> {
  const store = await db.selectFrom('store').select('capacity').where('id', '=', storeId).executeTakeFirst();
  const hours = await openingHoursOf(db, [storeId]);
  const plans = await staffPlansOf(db, [storeId]);
  return {
    capacity: store?.capacity ?? null,
    openingHours: hours.get(storeId) ?? null,
    staff: currentPlan(plans.get(storeId) ?? []),
  };
}

/**
 * Changes settings of a store to what `change` makes of the present ones; those that it leaves out stay as they are.
 * `now` (epoch ms) is when staff that is not declared any more ends.
 */
export async function changeStoreSettings(
  db: Kysely<DB>,
  author: Author,
  { id, calendar }: Pick<StoreFacts, 'id' | 'calendar'>,
  now: number,
  change: (present: StoreSettings) => Partial<StoreSettings>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('store').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    const present = await readStoreSettings(trx, id);
    const wanted = change(present);
    const details = differences(present, wanted);
    if (Object.keys(details).length === 0) return;
    await writeStoreSettings(trx, id, wanted, businessDayOf(now, calendar).date);
    const concerned = await storeConcerned(trx, id);
    await recordAudit(trx, author, { ...concerned, action: 'settings changed', details });
  });
}

type SomeSettings = { readonly [Name in keyof StoreSettings]?: StoreSettings[Name] | undefined };

/** Writes settings of a store; those that are left out stay as they are. Without staff, the present plan ends `today`. */
export async function writeStoreSettings(
  db: Kysely<DB>,
  id: number,
  { capacity, openingHours, staff }: SomeSettings,
  today: string,
): Promise<void> {
  if (capacity !== undefined)
    await db
      .updateTable('store')
      .set({ capacity })
      .where('id', '=', id)
      .where('capacity', 'is distinct from', capacity)
      .execute();
  if (openingHours !== undefined) await writeOpeningHours(db, id, openingHours);
  if (staff !== undefined) await writeStaffPlan(db, id, staff, today);
}

/** What the audit log says: what differs, before and after, and of exceptions only the dates. */
function differences(present: StoreSettings, wanted: Partial<StoreSettings>): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  const compare = (name: string, from: unknown, to: unknown) => {
    if (JSON.stringify(from) !== JSON.stringify(to)) details[name] = { from, to };
  };
  if (wanted.capacity !== undefined) compare('capacity', present.capacity, wanted.capacity);
  if (wanted.staff !== undefined) compare('staff', present.staff, wanted.staff);
  if (wanted.openingHours !== undefined) {
    compare('openingHours', present.openingHours?.week ?? null, wanted.openingHours?.week ?? null);
    const [before, after] = [present, wanted].map(
      ({ openingHours }) => new Set(openingHours?.exceptions.map((one) => JSON.stringify(one))),
    );
    const dates = (some = new Set<string>(), without = new Set<string>()) =>
      [...some.difference(without)].map((one) => String(Object(JSON.parse(one)).date));
    const [removed, added] = [dates(before, after), dates(after, before)];
    if (removed.length + added.length > 0) details['exceptions'] = { removed, added };
  }
  return details;
}

/** The opening hours of those of the stores that have some; the others are always open. Equal hours are one object. */
export async function openingHoursOf(
  db: Kysely<DB>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, OpeningHours>> {
  const { rows } = await sql<{ hours: OpeningHours; ids: number[] }>`
    select hours::text::json as hours, array_agg(store_id) as ids from opening_hours
    where store_id = ${anyOf(storeIds)} group by hours::text`.execute(db);
  return new Map(rows.flatMap(({ hours, ids }) => ids.map((id) => [id, hours] as const)));
}

/** Sets the opening hours of a store; null: always open. */
async function writeOpeningHours(db: Kysely<DB>, storeId: number, hours: OpeningHours | null): Promise<void> {
  if (hours === null) {
    await db.deleteFrom('openingHours').where('storeId', '=', storeId).execute();
    return;
  }
  await db
    .insertInto('openingHours')
    .values({ storeId, hours: JSON.stringify(hours) })
    .onConflict((known) => known.column('storeId').doUpdateSet({ hours: sql`excluded.hours` }))
    .execute();
}
