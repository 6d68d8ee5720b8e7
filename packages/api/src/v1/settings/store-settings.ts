import {
  changeStoreSettings,
  readStoreSettings,
  type StoreSettings,
} from '@visitor-counter/database/settings/store-settings';
import { readOpeningHours } from '@visitor-counter/domain/read-opening-hours';
import type { ReadValue, ValueProblem } from '@visitor-counter/domain/read-value';
import { readStaffPlan } from '@visitor-counter/domain/staff-plan';
import { weekdays } from '@visitor-counter/domain/week';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { invalidParameter, type Problem, unknownName } from '../../problems/problems.ts';
import { route } from '../routing/route.ts';
import { orNull, text } from '../routing/shapes.ts';
import { fieldsIn, requireKnown } from '../routing/values.ts';
import { storeInPath } from '../stores/requested-stores.ts';

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

export const openingHoursShape = Type.Object(
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

const capacity = Type.Integer({ description: 'Capacity in people.', minimum: 1, maximum: 1_000_000 });

const settingShapes = {
  capacity: orNull(capacity),
  openingHours: orNull(openingHoursShape),
  staff: orNull(staffShape),
} satisfies Readonly<Record<keyof StoreSettings, Type.TSchema>>;

const settingsShape = Type.Object(settingShapes, { $id: 'StoreSettings' });

/** What staff may set of a store. */
export const getSettings = route(
  {
    method: 'GET',
    path: '/v1/stores/:sid/settings',
    summary: 'Capacity, opening hours and staff of a store',
    kinds: ['staff'],
    settings: 'store',
    answer: settingsShape,
  },
  async (request, resources) => {
    const { id } = await storeInPath(request, resources);
    return await readStoreSettings(resources.database.kysely, id);
  },
);

/** Sets what is given, and leaves the rest as it is. */
export const putSettings = route(
  {
    method: 'PUT',
    path: '/v1/stores/:sid/settings',
    summary: 'Set capacity, opening hours and staff of a store',
    kinds: ['staff'],
    settings: 'store',
    rawBody: { json: Type.Partial(settingsShape), texts: {}, limit: 1024 * 1024 },
    answer: settingsShape,
  },
  async (request, resources) => {
    const given = readSettings(request.sent);
    const { database, now } = resources;
    const store = await storeInPath(request, resources);
    await changeStoreSettings(database.kysely, request.author, store, now(), () => given);
    return await readStoreSettings(database.kysely, store.id);
  },
);

/** The settings that a body contains; null removes one. Throws `invalid_parameter` and `malformed_body`. */
function readSettings(sent: unknown): Partial<StoreSettings> {
  const { capacity, openingHours, staff } = fieldsIn(sent);
  requireKnown(sent, Object.keys(settingShapes));
  return {
    ...(capacity !== undefined && { capacity: readCapacity(capacity) }),
    ...(openingHours !== undefined && {
      openingHours: readSetting('openingHours', openingHours, readOpeningHours),
    }),
    ...(staff !== undefined && { staff: readSetting('staff', staff, readStaffPlan) }),
  };
}

function readCapacity(given: unknown): number | null {
  if (Check(settingShapes.capacity, given)) return given;
  throw invalidParameter('capacity', given, 'a whole number from 1 to 1000000, or null for no limit');
}

function readSetting<Value>(
  name: string,
  given: unknown,
  read: (value: unknown, path: string) => ReadValue<Value>,
): Value | null {
  if (given === null) return null;
  const result = read(given, name);
  if (result.problems === undefined) return result.value;
  throw invalidValue(result.problems);
}

/** The first of the problems. */
export function invalidValue([first]: readonly ValueProblem[]): Problem {
  if (first?.known !== undefined) return unknownName(first.path, first.known);
  const { path, value, expected } = first ?? { path: '', value: '', expected: '' };
  return invalidParameter(path, value, expected);
}
