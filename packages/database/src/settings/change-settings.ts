import { type BusinessCalendar, businessDayOf } from '@visitor-counter/domain/business-day';
import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import type { StaffPlan } from '@visitor-counter/domain/staff-plan';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Author, recordAudit, storeConcerned } from '../audit/record-audit.ts';
import { openingHoursOf, writeOpeningHours } from './opening-hours.ts';
import { currentPlan, staffPlansOf, writeStaffPlan } from './staff-plans.ts';

/** What staff may change of a store. */
export interface StoreSettings {
  readonly capacity: number | null;
  /** Null: always open. */
  readonly openingHours: OpeningHours | null;
  /** Null: nothing is declared. */
  readonly staff: StaffPlan | null;
}

export async function readStoreSettings(db: Kysely<unknown>, storeId: number): Promise<StoreSettings> {
  const { rows } = await sql<{ capacity: number | null }>`
    select capacity from store where id = ${storeId}`.execute(db);
  const hours = await openingHoursOf(db, [storeId]);
  const plans = await staffPlansOf(db, [storeId]);
  return {
    capacity: rows[0]?.capacity ?? null,
    openingHours: hours.get(storeId) ?? null,
    staff: currentPlan(plans.get(storeId) ?? []),
  };
}

interface ChangedStore {
  readonly id: number;
  readonly calendar: BusinessCalendar;
}

/**
 * Changes settings of a store to what `change` makes of the present ones; those that it leaves out stay as they are.
 * `now` (epoch ms) is when staff that is not declared any more ends.
 */
export async function changeStoreSettings(
  db: Kysely<unknown>,
  author: Author,
  { id, calendar }: ChangedStore,
  now: number,
  change: (present: StoreSettings) => Partial<StoreSettings>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select from store where id = ${id} for no key update`.execute(trx);
    const present = await readStoreSettings(trx, id);
    const wanted = change(present);
    const details = differences(present, wanted);
    if (Object.keys(details).length === 0) return;
    await write(trx, id, wanted, businessDayOf(now, calendar).date);
    const concerned = await storeConcerned(trx, id);
    await recordAudit(trx, author, { ...concerned, action: 'settings changed', details });
  });
}

async function write(
  trx: Transaction<unknown>,
  id: number,
  { capacity, openingHours, staff }: Partial<StoreSettings>,
  today: string,
): Promise<void> {
  if (capacity !== undefined)
    await sql`
      update store set capacity = ${capacity} where id = ${id} and capacity is distinct from ${capacity}`.execute(
      trx,
    );
  if (openingHours !== undefined) await writeOpeningHours(trx, id, openingHours);
  if (staff !== undefined) await writeStaffPlan(trx, id, staff, today);
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
