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

/** Of a store named "Store". Corrections are in the order in which they were entered. */
export interface NaiveStore {
  readonly crossings: readonly NaiveCrossing[];
  readonly corrections: readonly NaiveCorrection[];
  readonly calendar: Calendar;
  /** About when the first of its days begins. */
  readonly begin: number;
}

/** Every event, with its crossing and the date of its business day. */
export function naiveEvents(store: NaiveStore) {
  const dayOf = daysOf(store);
  let lastDay = '';
  let inside = 0;
  return actsOf(store).flatMap((act) => {
    const day = dayOf(act.at);
    if (day !== lastDay) inside = 0;
    lastDay = day;
    inside = after(act, inside);
    if ('people' in act) return [];
    const DateTime = withOffset(act.at, store.calendar.timeZone);
    return [{ crossing: act, day, event: { DateTime, StoreName: 'Store', Amount: inside } }];
  });
}

/** What happened until `now` in buckets with these beginnings and ends. */
export function naiveBuckets(
  store: NaiveStore,
  buckets: readonly (readonly [number, number])[],
  now: number,
) {
  const dayOf = daysOf(store);
  const acts = actsOf(store).filter(({ at }) => at <= now);
  let lastDay = '';
  let inside = 0;
  return buckets.map(([from, to]) => {
    const day = dayOf(from);
    if (day !== lastDay) inside = 0;
    lastDay = day;
    let peak = inside;
    const own = acts.filter(({ at }) => at >= from && at < to);
    const corrections: { people: number; was: number }[] = [];
    for (const act of own) {
      if ('people' in act) corrections.push({ people: act.people, was: inside });
      inside = after(act, inside);
      peak = Math.max(peak, inside);
    }
    const directions = own.flatMap((act) => ('people' in act ? [] : act.direction));
    const [entries, exits] = [1, -1].map((one) => directions.filter((direction) => direction === one).length);
    return { date: day, in: entries, out: exits, occupancy: inside, peak, corrections };
  });
}

/** Crossings and corrections in their order: a correction comes after all crossings of its instant. */
function actsOf({ crossings, corrections }: NaiveStore) {
  /* The sort is stable. */
  return [...crossings.toSorted(inOrder), ...corrections].sort((a, b) => a.at - b.at);
}

function after(act: NaiveCrossing | NaiveCorrection, inside: number): number {
  if ('people' in act) return act.people;
  if (act.direction === 1) return inside + 1;
  return inside > 0 ? inside - 1 : 0;
}

function daysOf({ calendar, begin }: NaiveStore): (instant: number) => string {
  const starts = dayStarts(calendar, begin);
  return (instant) => starts.findLast(({ at }) => at <= instant)?.day ?? '';
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
