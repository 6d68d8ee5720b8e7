import type { Bucket } from '@visitor-counter/domain/buckets';
import { businessDayOf, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import type { Kysely } from 'kysely';
import type { Delivery } from '../devices/completeness.ts';
import { deliveryIn, type StoreDevices, storeDevices } from '../devices/store-devices.ts';
import type { EntriesAndExits } from '../occupancy/count-stores.ts';
import { startOfQuarter } from '../occupancy/quarter.ts';
import { firstQuarters } from '../occupancy/quarter-states.ts';
import { keptFrom } from '../retention/retention.ts';
import type { DB } from '../sql/schema.ts';
import type { StoreFacts } from '../stores/stores.ts';
import { countVisitors } from './count-visitors.ts';
import { type Plan, planOf, type Request } from './plan.ts';

/** The visitors of a store in the cells of its plan. */
export interface Series {
  readonly store: StoreFacts;
  readonly plan: Plan;
  readonly counts: EntriesAndExits;
  /** Of each counted cell. */
  readonly visitors: readonly number[];
  /** Of each counted cell of the compared period; undefined if there is none, or if the store counted nothing before its end. */
  readonly before: readonly number[] | undefined;
  /** When the store began to count (epoch ms); Infinity if it has not. */
  readonly begin: number;
  readonly devices: StoreDevices;
  readonly delivery: Delivery;
}

/** Counts the visitors of stores of one company. `db` must be a snapshot. */
export async function readSeries(
  db: Kysely<DB>,
  stores: readonly StoreFacts[],
  requested: Omit<Request, 'kept' | 'todays'>,
): Promise<Series[]> {
  const [first] = stores;
  if (first === undefined) return [];
  const kept = await keptFrom(db, first.id);
  const todayOf = onceForEachCalendar((calendar) => businessDayOf(requested.now, calendar).date);
  const todays = new Set(stores.map(({ calendar }) => todayOf(calendar)));
  const planOfStore = onceForEachCalendar((calendar) => planOf(calendar, { ...requested, kept, todays }));
  const plans = stores.map(({ calendar }) => planOfStore(calendar));
  const visitors = await countVisitors(db, stores, plans);
  const compared = plans.map(({ before }) => before);
  const before = compared.every((cells) => cells !== undefined)
    ? await countVisitors(db, stores, compared)
    : undefined;
  const begins = await firstQuarters(
    db,
    stores.map(({ id }) => id),
  );
  const from = Math.min(...plans.map(({ all }) => all[0]?.from ?? requested.now));
  const devices = await storeDevices(db, stores, requested.now, from);
  return stores.flatMap((store, index) => {
    const [plan, counted, found] = [plans[index], visitors[index], devices[index]];
    if (plan === undefined || counted === undefined || found === undefined) return [];
    const quarter = begins.get(store.id);
    const begin = quarter === undefined ? Number.POSITIVE_INFINITY : startOfQuarter(quarter);
    return {
      store,
      plan,
      ...counted,
      begin,
      devices: found,
      delivery: deliveryIn(found, requested.now),
      before: begin < (plan.before?.to ?? begin) ? before?.[index]?.visitors : undefined,
    };
  });
}

/** Why the number of a bucket may still change, or lacks crossings; of several stores all reasons. */
export const reasons = ['running', 'late', 'lost', 'not-started'] as const;

/* Bits of these reasons. */
const [running, late, lost] = [1, 2, 4];

/** The bit of a time in which the store had not begun to count. */
export const notStarted = 8;

/** The reasons, as bits, why the number of a counted cell of a store is incomplete at `now` (epoch ms). */
export function reasonsOf(
  { plan, ...counted }: Pick<Series, 'plan' | 'delivery' | 'begin'>,
  index: number,
  now: number,
): number {
  return reasonsIn(plan.all[index] ?? { from: 0, to: 0 }, counted, now);
}

/** The same for any time of a store, or of one of its devices. */
export function reasonsIn(
  { from, to }: Pick<Bucket, 'from' | 'to'>,
  { delivery, begin }: Pick<Series, 'delivery' | 'begin'>,
  now: number,
): number {
  const isLate = to > now ? delivery.isBehind : to > delivery.until;
  const isLost = delivery.gaps.some((gap) => gap.from < to && gap.until >= from);
  return (
    (to > now ? running : 0) | (isLate ? late : 0) | (isLost ? lost : 0) | (to <= begin ? notStarted : 0)
  );
}

/** The reasons, as bits, other than that a bucket is not over. */
export function withoutRunning(bits: number): number {
  return bits & ~running;
}

/** The names of reasons. */
export function namesOf(bits: number): (typeof reasons)[number][] {
  return reasons.filter((_, index) => (bits & (1 << index)) !== 0);
}
