import * as v from 'valibot';

/* The parts of /v1 answers that the page shows. Instants are RFC 3339. */

export const instant = v.string();

/** The languages of mails, which are also those of the page. */
export const languageCodes = ['en', 'de', 'es', 'sl'] as const;

export const Obstacle = v.object({
  kind: v.string(),
  device: v.optional(v.string()),
  beam: v.optional(v.string()),
  since: v.optional(instant),
  count: v.optional(v.number()),
});
export type Obstacle = v.InferOutput<typeof Obstacle>;

const completeness = { completeUntil: v.nullable(instant), obstacles: v.array(Obstacle) };

export const Occupancy = v.object({
  store: v.string(),
  name: v.string(),
  occupancy: v.number(),
  capacity: v.nullable(v.number()),
  lastChangeAt: instant,
  /** The present business day; `start` is in the store's local time. */
  day: v.object({ date: v.string(), start: v.string() }),
  /** Of the present business day. */
  today: v.optional(v.object({ in: v.number(), out: v.number(), visitors: v.number() })),
  ...completeness,
});
export type Occupancy = v.InferOutput<typeof Occupancy>;

export const Completeness = v.object({ store: v.string(), ...completeness });

/** Whether a store is open now, null without opening hours; if it is closed, the local date and time of its next opening. */
const opening = {
  open: v.nullable(v.boolean()),
  opensOn: v.nullable(v.string()),
  opensAt: v.nullable(v.string()),
};
export type Opening = Pick<Store, keyof typeof opening>;

/** A time in which a store is open. */
const OpenTime = v.object({ from: instant, to: instant });
export type OpenTime = v.InferOutput<typeof OpenTime>;

export const Store = v.object({
  sid: v.string(),
  name: v.string(),
  timeZone: v.string(),
  groups: v.array(v.string()),
  ...opening,
  /** On the present business day; null without opening hours. */
  openToday: v.nullable(v.array(OpenTime)),
});
export type Store = v.InferOutput<typeof Store>;

/** The visitors of a store in a period, and how it is now. */
export const StoreVisitors = v.object({
  store: v.string(),
  name: v.string(),
  groups: v.array(v.string()),
  /** Its business days, both included. */
  from: v.string(),
  to: v.string(),
  /** How many of them have begun, and on how many of these the store counted. */
  days: v.number(),
  recorded: v.number(),
  visitors: v.number(),
  /** Of the days that the compared period has as well. */
  comparable: v.nullable(v.number()),
  before: v.nullable(v.number()),
  occupancy: v.number(),
  capacity: v.nullable(v.number()),
  incomplete: v.array(v.string()),
  conversion: v.nullable(v.number()),
  ...opening,
});
export type StoreVisitors = v.InferOutput<typeof StoreVisitors>;

export const VisitorsByStore = v.object({ items: v.array(StoreVisitors) });

/** A direction through a door. */
export const Way = v.picklist(['in', 'out']);
export type Way = v.InferOutput<typeof Way>;

const Accuracy = v.object({
  observed: v.number(),
  counted: v.number(),
  error: v.nullable(v.number()),
  interval: v.nullable(v.object({ low: v.number(), high: v.number() })),
});
export type Accuracy = v.InferOutput<typeof Accuracy>;

export const Audit = v.object({
  id: v.string(),
  device: v.string(),
  to: instant,
  seen: v.object({ in: v.number(), out: v.number() }),
  by: v.string(),
  note: v.string(),
  result: v.union([v.picklist(['pending', 'removed']), v.object({ in: Accuracy, out: Accuracy })]),
});
export type Audit = v.InferOutput<typeof Audit>;

export const Device = v.object({
  serial: v.string(),
  name: v.string(),
  store: v.string(),
  online: v.boolean(),
  lastActivityAt: v.nullable(instant),
  version: v.nullable(v.string()),
  pending: v.nullable(v.number()),
  obstacles: v.array(Obstacle),
  audit: v.nullable(Audit),
});
export type Device = v.InferOutput<typeof Device>;

const Corrected = v.object({ at: instant, by: v.string(), people: v.number(), was: v.number() });
export type Corrected = v.InferOutput<typeof Corrected>;

/** A quarter hour, with the people inside at its end. */
export const Quarter = v.object({
  from: instant,
  to: instant,
  occupancy: v.optional(v.number(), 0),
  corrections: v.optional(v.array(Corrected), []),
});
export type Quarter = v.InferOutput<typeof Quarter>;

export const Alert = v.object({
  id: v.string(),
  kind: v.string(),
  store: v.nullable(v.string()),
  device: v.nullable(v.string()),
  capacity: v.optional(v.number()),
  since: v.optional(instant),
  raisedAt: instant,
  clearedAt: v.nullable(instant),
});
export type Alert = v.InferOutput<typeof Alert>;

const entry = {
  id: v.number(),
  at: instant,
  people: v.number(),
  undone: v.nullable(v.object({ by: v.string() })),
};

/** Staff who were left out of the visitors. */
export const StaffPassage = v.object(entry);
export type StaffPassage = v.InferOutput<typeof StaffPassage>;

export const Correction = v.object({ ...entry, by: v.string(), note: v.string() });
export type Correction = v.InferOutput<typeof Correction>;

export const Session = v.object({
  company: v.string(),
  /** The stores that it is limited to. */
  stores: v.optional(v.nullable(v.array(v.string())), null),
  /** Whether it may change settings. */
  settings: v.optional(v.boolean(), false),
});
export type Session = v.InferOutput<typeof Session>;

/** An error, as in RFC 9457. */
export const Problem = v.object({
  code: v.optional(v.string()),
  detail: v.string(),
  errors: v.optional(v.array(v.object({ line: v.number(), value: v.string() }))),
});
export type WrongLine = NonNullable<v.InferOutput<typeof Problem>['errors']>[number];
