import { businessDayOf } from '@visitor-counter/domain/business-day';
import {
  isOpenAt,
  nextOpening,
  type OpeningHours,
  type OpenTime,
  openBetween,
} from '@visitor-counter/domain/opening-hours';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Db } from '../sql/query-builder.ts';
import { openingHoursOf } from '../stores/hours-and-staff.ts';
import type { StoreFacts } from '../stores/store-facts.ts';

/** Whether a store is open now, null if it has no opening hours; if it is closed, the local date and time of its next opening. */
interface OpeningState {
  readonly open: boolean | null;
  readonly opensOn: string | null;
  readonly opensAt: string | null;
}

/** When stores are open. */
export interface Opening {
  /** Whether a store is open at any time from `from` to before `to` (epoch ms). */
  isOpen(store: StoreFacts, from: number, to: number): boolean;
  /** How a store is at an instant (epoch ms). */
  stateAt(store: StoreFacts, now: number): OpeningState;
  /** When a store is open on the business day of an instant (epoch ms), in order; null if it has no opening hours. */
  timesOnDayOf(store: StoreFacts, now: number): OpenTime[] | null;
}

/** Reads when stores are open. Most stores share their hours and zone, so each answer is computed once. */
export async function readOpening(db: Db, stores: readonly StoreFacts[]): Promise<Opening> {
  const hoursOf = await openingHoursOf(
    db,
    stores.map(({ id }) => id),
  );
  const isOpen = onceFor(
    (hours, timeZone, from, to) => openBetween(hours, { timeZone }, from, to).length > 0,
  );
  const stateAt = onceFor(openingStateAt);
  return {
    isOpen: ({ id, calendar }, from, to) => {
      const hours = hoursOf.get(id);
      return hours === undefined || isOpen(hours, calendar.timeZone, from, to);
    },
    stateAt: ({ id, calendar }, now) => {
      const hours = hoursOf.get(id);
      return hours === undefined
        ? { open: null, opensOn: null, opensAt: null }
        : stateAt(hours, calendar.timeZone, now, now);
    },
    timesOnDayOf: ({ id, calendar }, now) => {
      const hours = hoursOf.get(id);
      if (hours === undefined) return null;
      const { start, end } = businessDayOf(now, calendar);
      return openBetween(hours, calendar, start, end);
    },
  };
}

type OfHours<Value> = (hours: OpeningHours, timeZone: string, from: number, to: number) => Value;

function onceFor<Value>(compute: OfHours<Value>): OfHours<Value> {
  const ofHours = new Map<OpeningHours, Map<string, Value>>();
  return (hours, timeZone, from, to) => {
    const known = ofHours.get(hours) ?? new Map<string, Value>();
    ofHours.set(hours, known);
    const key = `${timeZone} ${from} ${to}`;
    const value = known.get(key) ?? compute(hours, timeZone, from, to);
    known.set(key, value);
    return value;
  };
}

function openingStateAt(hours: OpeningHours, timeZone: string, now: number): OpeningState {
  if (isOpenAt(hours, { timeZone }, now)) return { open: true, opensOn: null, opensAt: null };
  const next = nextOpening(hours, { timeZone }, now);
  if (next === undefined) return { open: false, opensOn: null, opensAt: null };
  const local = zonedFormatter(timeZone)(next);
  return { open: false, opensOn: local.slice(0, 10), opensAt: local.slice(11, 16) };
}
