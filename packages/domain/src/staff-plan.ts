import { type BusinessCalendar, businessDayStart } from './business-day.ts';
import { type ReadValue, readFields, readList, type ValueProblem } from './read-value.ts';
import { isLocalTime, type LocalTime } from './time.ts';
import { addDays, dateExpected, type IsoDate, instantOfWallClock, isDate } from './time-zone.ts';
import { readWeek, type Weekday, weekdayOf } from './week.ts';

/*
 * Staff who come in are counted like everybody. A company declares how many they are and when, and they are subtracted
 * from visitors, never from occupancy.
 */

/** How many of the staff come in at a local time. */
interface StaffEntry {
  readonly at: LocalTime;
  readonly people: number;
}

/** The staff declared for the business days from the date `since` on, until the next plan. */
export interface StaffPlan {
  readonly since: IsoDate;
  readonly week: Readonly<Partial<Record<Weekday, readonly StaffEntry[]>>>;
}

/** People of the staff who came in at an instant (epoch ms). */
export interface StaffPassage {
  readonly at: number;
  readonly people: number;
}

const mostStaffEntries = 24;
const mostStaffPeople = 1_000;

/** Reads a plan that a person entered, and sorts its entries. */
export function readStaffPlan(value: unknown, path: string): ReadValue<StaffPlan> {
  const problems: ValueProblem[] = [];
  const { since, week } = readFields(value, path, ['since', 'week'], problems) ?? {};
  const isSince = typeof since === 'string' && isDate(since);
  if (!isSince) problems.push({ path: `${path}.since`, value: since, expected: dateExpected });
  const days = readWeek(week, `${path}.week`, (day, where) => readEntries(day, where, problems), problems);
  return problems.length > 0 || !isSince ? { problems } : { value: { since, week: days } };
}

function readEntries(value: unknown, path: string, problems: ValueProblem[]): StaffEntry[] {
  const bounds = { most: mostStaffEntries, of: 'times with a number of people' };
  const given = readList(value, path, bounds, problems);
  const entries = given.flatMap((one, index): StaffEntry[] => {
    const where = `${path}[${index}]`;
    const { at, people } = readFields(one, where, ['at', 'people'], problems) ?? {};
    const isTime = typeof at === 'string' && isLocalTime(at);
    const isNumber =
      typeof people === 'number' && Number.isInteger(people) && people >= 1 && people <= mostStaffPeople;
    if (!isTime) problems.push({ path: `${where}.at`, value: at, expected: 'a time of day "HH:MM"' });
    if (!isNumber)
      problems.push({
        path: `${where}.people`,
        value: people,
        expected: `a whole number from 1 to ${mostStaffPeople}`,
      });
    return isTime && isNumber ? [{ at, people }] : [];
  });
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** The staff declared for a business day; `plans` are in order of `since`. */
function staffEntriesOn(plans: readonly StaffPlan[], date: IsoDate): readonly StaffEntry[] {
  return plans.findLast(({ since }) => since <= date)?.week[weekdayOf(date)] ?? [];
}

/** How many people of the staff are declared for a business day. */
export function staffPeopleOn(plans: readonly StaffPlan[], date: IsoDate): number {
  return staffEntriesOn(plans, date).reduce((sum, { people }) => sum + people, 0);
}

/**
 * The staff declared for a business day, at their instants. A time before the start of the business day is on the next
 * calendar day; one that does not exist because the clocks are set forward is later by the length of the gap, but not later
 * than the end of the day.
 */
export function staffPassagesOn(
  plans: readonly StaffPlan[],
  calendar: BusinessCalendar,
  date: IsoDate,
): StaffPassage[] {
  const entries = staffEntriesOn(plans, date);
  if (entries.length === 0) return [];
  const end = businessDayStart(addDays(date, 1), calendar);
  return entries.map(({ at, people }) => {
    const day = at < calendar.dayStartsAt ? addDays(date, 1) : date;
    return { at: Math.min(instantOfWallClock(`${day}T${at}`, calendar.timeZone), end - 1), people };
  });
}

/**
 * Visitors: the people who came in, less the staff who were declared.
 *
 * `entries` and `staff` are those of the buckets of one business day, in order. Staff are subtracted from the entries of the
 * bucket in which they are declared; the rest from the buckets after it; and what is left then from the buckets before it,
 * the nearest first. So the sum is that of the day: entries less staff, and never below 0.
 */
export function withoutStaff(entries: readonly number[], staff: readonly number[]): number[] {
  const visitors = [...entries];
  let remaining = 0;
  const take = (index: number) => {
    const taken = Math.min(remaining, visitors[index] ?? 0);
    visitors[index] = (visitors[index] ?? 0) - taken;
    remaining -= taken;
  };
  for (let index = 0; index < visitors.length; index += 1) {
    remaining += staff[index] ?? 0;
    take(index);
  }
  for (let index = visitors.length - 1; remaining > 0 && index >= 0; index -= 1) take(index);
  return visitors;
}
