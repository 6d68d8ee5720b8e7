import { readFields, type ValueProblem } from './read-value.ts';
import { dayOfWeek, type IsoDate } from './time-zone.ts';

/** The days of the week as settings name them, Monday first. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

export function weekdayOf(date: IsoDate): Weekday {
  return weekdays[dayOfWeek(date) - 1] ?? 'monday';
}

/** Reads the value of each weekday with `readDay`; weekdays without a value are left out. */
export function readWeek<Day>(
  value: unknown,
  path: string,
  readDay: (value: unknown, path: string) => Day,
  problems: ValueProblem[],
): Partial<Record<Weekday, Day>> {
  const fields = readFields(value, path, weekdays, problems) ?? {};
  const given = weekdays.filter((day) => fields[day] !== undefined);
  const days = given.map((day) => [day, readDay(fields[day], `${path}.${day}`)] as const);
  return Object.fromEntries(days);
}
