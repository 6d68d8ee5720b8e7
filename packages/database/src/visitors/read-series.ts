import { businessDayOf, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import type { Hundredths } from '@visitor-counter/domain/money';
import { deliveryIn, reasonsIn } from '../devices/delivery.ts';
import { type StoreDevices, storeDevices } from '../devices/store-devices.ts';
import type { EntriesAndExits } from '../occupancy/count-stores.ts';
import { beginsOf } from '../occupancy/counted-days.ts';
import { keptFrom } from '../retention/retention.ts';
import { salesInBuckets } from '../sales/sales.ts';
import type { Db } from '../sql/query-builder.ts';
import type { StoreFacts } from '../stores/store-facts.ts';
import { countVisitors } from './count-visitors.ts';
import { type Opening, readOpening } from './opening.ts';
import { type Cells, type Plan, planOf, type Request } from './plan.ts';

/** What was sold in a cell. */
export interface CellSales {
  readonly transactions: number;
  readonly amount: Hundredths;
}

/** What is known of a store in the cells of its plan. */
export interface Series {
  readonly store: StoreFacts;
  readonly plan: Plan;
  /** Of each counted cell; also the two that follow. */
  readonly counts: EntriesAndExits;
  readonly visitors: readonly number[];
  /** Bits of why these numbers are incomplete. */
  readonly incomplete: readonly number[];
  /** Of each counted cell of the compared period; undefined if there is none, or if the store counted nothing before its end. */
  readonly before: readonly number[] | undefined;
  /** By the index of the cell; those of which no sales are known are left out. */
  readonly sales: ReadonlyMap<number, CellSales>;
  /** Whether the store is open at any time in a cell. */
  readonly isOpen: (cell: number) => boolean;
  /** When any of the stores that are read together is open. */
  readonly opening: Opening;
  /** When the store began to count (epoch ms); Infinity if it has not. */
  readonly begin: number;
  readonly devices: StoreDevices;
}

/** Counts the visitors of stores of one company. `db` must be a snapshot. */
export async function readSeries(
  db: Db,
  stores: readonly StoreFacts[],
  requested: Omit<Request, 'kept' | 'todays'>,
): Promise<Series[]> {
  const [first] = stores;
  if (first === undefined) return [];
  const { now } = requested;
  const kept = await keptFrom(db, { storeId: first.id });
  const todayOf = onceForEachCalendar((calendar) => businessDayOf(now, calendar).date);
  const todays = new Set(stores.map(({ calendar }) => todayOf(calendar)));
  const planOfStore = onceForEachCalendar((calendar) => planOf(calendar, { ...requested, kept, todays }));
  const plans = stores.map(({ calendar }) => planOfStore(calendar));
  const visitors = await countVisitors(db, stores, plans);
  const compared = plans.map(({ before }) => before);
  const before = compared.every((cells) => cells !== undefined)
    ? await countVisitors(db, stores, compared)
    : undefined;
  const begins = await beginsOf(
    db,
    stores.map(({ id }) => id),
  );
  const [sales, opening] = [await readSales(db, stores, plans), await readOpening(db, stores)];
  const from = Math.min(...plans.map(({ all }) => all[0]?.from ?? now));
  const devices = await storeDevices(db, stores, now, from);
  return stores.flatMap((store, index) => {
    const [plan, counted, found] = [plans[index], visitors[index], devices[index]];
    if (plan === undefined || counted === undefined || found === undefined) return [];
    const begin = begins.get(store.id) ?? Number.POSITIVE_INFINITY;
    const numbers = { delivery: deliveryIn(found, now), begin };
    return {
      store,
      plan,
      ...counted,
      incomplete: plan.starts.map((_, cell) => reasonsIn(plan.all[cell], numbers, now)),
      before: begin < (plan.before?.to ?? begin) ? before?.[index]?.visitors : undefined,
      sales: sales.get(store.id) ?? new Map(),
      isOpen: (cell) => opening.isOpen(store, plan.all[cell]?.from ?? 0, plan.all[cell]?.to ?? 0),
      opening,
      begin,
      devices: found,
    };
  });
}

/** Stores in one statement; other requests are answered between two of them. */
const storesAtOnce = 20;

/** What stores have sold in the cells of their plans, by their ids and the indexes of the cells. */
async function readSales(
  db: Db,
  stores: readonly StoreFacts[],
  plans: readonly Cells[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, CellSales>>> {
  const sales = new Map(stores.map(({ id }) => [id, new Map<number, CellSales>()]));
  for (const [plan, some] of Map.groupBy(stores, (_, index) => plans[index])) {
    for (let next = 0; plan && next < some.length; next += storesAtOnce) {
      const ids = some.slice(next, next + storesAtOnce).map(({ id }) => id);
      for (const { storeId, bucket, ...sold } of await salesInBuckets(db, ids, plan.starts, plan.to))
        sales.get(storeId)?.set(bucket, sold);
    }
  }
  return sales;
}
