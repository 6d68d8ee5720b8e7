import { isDeepStrictEqual } from 'node:util';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { cleanName } from '@visitor-counter/domain/name-key';
import { readOpeningHours } from '@visitor-counter/domain/read-opening-hours';
import { readStaffPlan, type StaffPlan } from '@visitor-counter/domain/staff-plan';
import type { IsoDate } from '@visitor-counter/domain/time-zone';
import { weekdays } from '@visitor-counter/domain/week';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Db } from '../sql/query-builder.ts';
import { currentPlan, staffPlansOf } from '../stores/hours-and-staff.ts';
import type { Owner } from './company.ts';
import { invalid, readBy, requireFields } from './read-entry.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { capacity, dayStart, freeText, identifier, name, timeZone } from './values.ts';

const text = (description: string) => Type.String({ description });

/** What each weekday has; a weekday may be left out. */
function weekOf<Item extends Type.TSchema>(item: Item, description: string) {
  const days = weekdays.map((day) => [day, Type.Optional(Type.Array(item))] as const);
  return Type.Object(Object.fromEntries(days), { description });
}

const span = text(
  'Local times such as `09:00-12:30`; `20:00-02:00` ends on the next day, `00:00-24:00` is a whole day.',
);

export const exceptionShape = Type.Object(
  {
    date: Type.String({ description: 'Date.', format: 'date' }),
    open: Type.Array(span, { description: 'When it is open on this date; empty: closed.' }),
    note: Type.Optional(text('Why, at most 100 characters.')),
  },
  { $id: 'OpeningException' },
);

const hoursShape = Type.Object(
  {
    week: weekOf(span, 'When the store is open, by weekday; closed on a day without times.'),
    exceptions: Type.Optional(
      Type.Array(exceptionShape, { description: 'Dates with other hours, at most 1,000.' }),
    ),
  },
  { $id: 'OpeningHours' },
);

const staffShape = Type.Object(
  {
    since: Type.String({ description: 'Valid for business days from this date on.', format: 'date' }),
    week: weekOf(
      Type.Object({
        at: text('Local time HH:MM.'),
        people: Type.Integer({ description: 'How many come in then.', minimum: 1, maximum: 1_000 }),
      }),
      'Staff who come in, by weekday.',
    ),
  },
  { $id: 'StaffPlan' },
);

/** What staff may change of a store on the page and over /v1. A new setting is a line here, a column and a field of the form. */
const settings = {
  capacity,
  openingHours: readBy(readOpeningHours, 'opening hours, or null for always open', hoursShape),
  staff: readBy(readStaffPlan, 'staff by weekday, or null for none', staffShape),
};
export const StoreSettings = Type.Object(settings, { $id: 'StoreSettings' });
export type StoreSettings = Static<typeof StoreSettings>;

/** A store as it is saved. What is left out stays as it is. */
export const Store = Type.Object({
  sid: identifier,
  ...Type.Partial(Type.Object({ name, address: freeText, city: freeText, timeZone, dayStartsAt: dayStart }))
    .properties,
  ...Type.Partial(StoreSettings).properties,
});

/** `now` (epoch ms) is when staff that is not declared any more ends. */
export async function saveStore(
  trx: Db,
  { id: companyId }: Owner,
  { sid, staff, ...given }: Static<typeof Store>,
  now = Date.now(),
): Promise<Saved> {
  const key = { companyId, sid };
  const stored = await lockedRow(trx, 'store', key);
  const calendar = { dayStartsAt: '00:00', ...stored, ...given };
  if (stored === undefined) requireFields(Store, given, 'store', ['name', 'timeZone']);
  const plans = (stored && (await staffPlansOf(trx, [stored.id])).get(stored.id)) ?? [];
  const today = () => businessDayOf(now, { timeZone: 'UTC', ...calendar }).date;
  const values = {
    ...given,
    name: given.name && cleanName(given.name),
    staffPlans: staff === undefined ? undefined : changedPlans(plans, staff, today),
  };
  return await saveRow(trx, 'store', { stored, key, values, fields: { staffPlans: 'staff' } });
}

/**
 * What is declared for the business days from a date on, until another plan is set; earlier days keep theirs. Null: nothing any
 * more, from `today` on.
 */
function changedPlans(
  plans: readonly StaffPlan[],
  plan: StaffPlan | null,
  today: () => IsoDate,
): readonly StaffPlan[] | null | undefined {
  const current = currentPlan(plans);
  if (isDeepStrictEqual(current, plan)) return undefined;
  const last = plan ?? { since: today(), week: {} };
  const earlier = plans.filter(({ since }) => since < last.since);
  if (plan === null && earlier.length === 0) return null;
  return [...earlier, last];
}

/** The settings of a store. */
export async function readStoreSettings(db: Db, id: number): Promise<StoreSettings> {
  const stored = await db.selectFrom('store').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const plans = (await staffPlansOf(db, [id])).get(id) ?? [];
  const row: Readonly<Record<string, unknown>> = { ...stored, staff: currentPlan(plans) };
  return Object.assign({}, ...Object.keys(settings).map((name) => ({ [name]: row[name] ?? null })));
}

/** The ids of some of a company's stores, sorted; `pathOf`: where each sid was given. Throws InvalidField. */
export async function storeIdsOf(
  trx: Db,
  owner: Owner,
  pathOf: (index: number) => string,
  sids: readonly string[],
): Promise<number[]> {
  const stores = await trx
    .selectFrom('store')
    .select(['id', 'sid'])
    .where('companyId', '=', owner.id)
    .where('sid', '=', sql<string>`any(${[...sids]})`)
    .execute();
  const ids = new Map(stores.map(({ id, sid }) => [sid, id]));
  for (const [index, sid] of sids.entries())
    if (!ids.has(sid)) throw invalid(pathOf(index), sid, `the sid of a store of ${owner.name}`, 'store');
  return [...ids.values()].toSorted((a, b) => a - b);
}
