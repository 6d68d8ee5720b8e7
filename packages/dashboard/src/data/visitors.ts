import * as v from 'valibot';
import { request, requestAll, withQuery } from './calls.ts';
import { instant, Quarter } from './shapes.ts';

/* The visitors of a time, as /v1/visitors has them. Dates are business days such as 2026-11-20. */

const numbers = {
  visitors: v.number(),
  out: v.number(),
  staff: v.number(),
  /** Of the times that the compared period has as well. */
  comparable: v.nullable(v.number()),
  /** Of the compared period, up to the same minute if this is not over; null if there is nothing to compare with. */
  before: v.nullable(v.number()),
  transactions: v.nullable(v.number()),
  /** Null where no sales are known, or the count is incomplete. */
  conversion: v.nullable(v.number()),
};

/** Whether a number of visitors is 0 because the store had not begun to count. */
export const hasNoData = ({ visitors, incomplete: why }: Pick<VisitorBucket, 'visitors' | 'incomplete'>) =>
  visitors === 0 && why.includes('not-started');

export const VisitorBucket = v.object({
  /** The business day on which it begins. */
  date: v.string(),
  from: instant,
  to: instant,
  ...numbers,
  open: v.boolean(),
  incomplete: v.array(v.string()),
});
export type VisitorBucket = v.InferOutput<typeof VisitorBucket>;

export const Visitors = v.object({
  bucket: v.picklist(['hour', 'day', 'week', 'month']),
  from: v.string(),
  to: v.string(),
  compared: v.nullable(v.object({ from: v.string(), to: v.string(), until: v.nullable(v.string()) })),
  total: v.object(numbers),
  days: v.object({
    average: v.nullable(v.number()),
    best: v.nullable(v.object({ date: v.string(), visitors: v.number() })),
    counted: v.number(),
    /** How many have begun, and on how many of these somebody counted. */
    begun: v.number(),
    recorded: v.number(),
  }),
  items: v.array(VisitorBucket),
});
export type Visitors = v.InferOutput<typeof Visitors>;

/** Whether the store had not begun to count before the end of the period. */
export const isBeforeStart = ({ items }: Visitors) => items.every(hasNoData);

const WeekHour = v.object({
  weekday: v.number(),
  hour: v.number(),
  days: v.number(),
  visitors: v.nullable(v.number()),
  open: v.boolean(),
});
export type WeekHour = v.InferOutput<typeof WeekHour>;

export const Week = v.object({
  items: v.array(WeekHour),
  peak: v.nullable(v.object({ weekday: v.number(), hour: v.number(), visitors: v.number() })),
  peakHour: v.nullable(v.object({ hour: v.number(), visitors: v.number() })),
});
export type Week = v.InferOutput<typeof Week>;

export const DoorCounts = v.object({
  device: v.string(),
  name: v.string(),
  in: v.number(),
  out: v.number(),
  before: v.nullable(v.number()),
});
export type DoorCounts = v.InferOutput<typeof DoorCounts>;

const normal = v.object({ low: v.number(), high: v.number() });

/** The last day that is over, and what is normal for its weekday. */
const LastDay = v.object({
  date: v.string(),
  visitors: v.number(),
  normal,
  stores: v.number(),
  leftOut: v.number(),
  unusual: v.nullable(v.object({ name: v.string(), visitors: v.number(), normal })),
  error: v.number(),
});

/** Of a store, or of all; null if nothing certain can be said. */
export const lastDay = async (store: string | undefined) =>
  (await request(withQuery('/v1/visitors/last-day', { store }), v.object({ day: v.nullable(LastDay) }))).day;

/** The query of a request about visitors: a store, and business days, both included. */
export interface VisitorsQuery {
  readonly store: string;
  readonly from: string;
  readonly to: string;
  readonly compare?: string;
  readonly bucket?: string;
  readonly weekStart?: string;
}

export const visitors = (query: VisitorsQuery) => request(withQuery('/v1/visitors', { ...query }), Visitors);

export const visitorsByWeek = ({ store, from, to }: VisitorsQuery) =>
  request(withQuery('/v1/visitors/week', { store, from, to }), Week);

export const visitorsByDoor = ({ store, from, to, compare }: VisitorsQuery) =>
  requestAll(withQuery('/v1/visitors/doors', { store, from, to, compare }), DoorCounts);

/** The people inside a store at the end of each quarter hour. */
export const quarters = ({ store, from, to }: VisitorsQuery) =>
  requestAll(withQuery('/v1/counts', { bucket: '15min', store, from, to }), Quarter);
