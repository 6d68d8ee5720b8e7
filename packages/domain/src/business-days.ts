import { type BusinessCalendar, type BusinessDay, businessDayOf } from './business-day.ts';

/** Gives the business day that an instant (epoch ms) belongs to. */
export type BusinessDays = (instant: number) => BusinessDay;

/** Ten years of days; more are not remembered at a time. */
const remembered = 4_000;

/**
 * The business days of a calendar for many instants, mostly in order, of one store or of several after another:
 * a day is worked out once.
 */
export function businessDays(calendar: BusinessCalendar): BusinessDays {
  const byStart = new Map<number, BusinessDay>();
  let latest: BusinessDay = { date: '', start: 0, end: Number.NEGATIVE_INFINITY };
  return (instant) => {
    if (holds(latest, instant)) return latest;
    const next = byStart.get(latest.end) ?? latest;
    latest = holds(next, instant) ? next : businessDayOf(instant, calendar);
    if (byStart.size >= remembered) byStart.clear();
    byStart.set(latest.start, latest);
    return latest;
  };
}

function holds({ start, end }: BusinessDay, instant: number): boolean {
  return instant >= start && instant < end;
}
