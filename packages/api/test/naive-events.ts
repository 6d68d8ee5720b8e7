/* Occupancy counted in the plainest way, for comparison: nothing of it calls the product's own code. */

export interface Calendar {
  readonly timeZone: string;
  readonly dayStartsAt: string;
}

export interface NaiveCrossing {
  readonly at: number;
  readonly device: number;
  readonly journal: string;
  readonly sequence: number;
  readonly direction: 1 | -1;
}

export interface NaiveCorrection {
  readonly at: number;
  readonly people: number;
}

/**
 * Every event of a store named "Store", with its crossing and the date of its business day. Corrections are in the order in
 * which they were entered; each comes after all crossings of its instant.
 */
export function naiveEvents(
  crossings: readonly NaiveCrossing[],
  corrections: readonly NaiveCorrection[],
  calendar: Calendar,
  begin: number,
) {
  const starts = dayStarts(calendar, begin);
  const dayOf = (instant: number) => starts.findLast(({ at }) => at <= instant)?.day ?? '';
  let lastDay = '';
  let inside = 0;
  /* The sort is stable. */
  const acts = [...crossings.toSorted(inOrder), ...corrections].sort((a, b) => a.at - b.at);
  return acts.flatMap((act) => {
    const day = dayOf(act.at);
    if (day !== lastDay) inside = 0;
    lastDay = day;
    if ('people' in act) {
      inside = act.people;
      return [];
    }
    if (act.direction === 1) inside += 1;
    else if (inside > 0) inside -= 1;
    const DateTime = withOffset(act.at, calendar.timeZone);
    return [{ crossing: act, day, event: { DateTime, StoreName: 'Store', Amount: inside } }];
  });
}

function inOrder(a: NaiveCrossing, b: NaiveCrossing): number {
  const byJournal = a.journal < b.journal ? -1 : Number(a.journal > b.journal);
  return a.at - b.at || a.device - b.device || byJournal || a.sequence - b.sequence;
}

/** Looks at the clock of the store every minute of nine days, and never goes back to an earlier day. */
function dayStarts({ timeZone, dayStartsAt }: Calendar, begin: number): { at: number; day: string }[] {
  const wallClock = wallClockOf(timeZone);
  const starts: { at: number; day: string }[] = [];
  let latest = '';
  for (let at = begin - 2 * 86_400_000; at < begin + 7 * 86_400_000; at += 60_000) {
    const local = wallClock(at);
    const day = local.slice(11, 16) >= dayStartsAt ? local.slice(0, 10) : dayBefore(local.slice(0, 10));
    if (day > latest) starts.push({ at, day });
    if (day > latest) latest = day;
  }
  return starts;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}

/** `YYYY-MM-DD HH:MM:SS` in a zone. */
function wallClockOf(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => format.format(at);
}

function withOffset(at: number, timeZone: string): string {
  const local = wallClockOf(timeZone)(at).replace(' ', 'T');
  const minutes = (Date.parse(`${local}Z`) - Math.floor(at / 1000) * 1000) / 60_000;
  const two = (n: number) => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  const sign = minutes < 0 ? '-' : '+';
  return `${local}.${String(at % 1000).padStart(3, '0')}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
