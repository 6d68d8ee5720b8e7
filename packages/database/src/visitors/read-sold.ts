import type { Hundredths } from '@visitor-counter/domain/money';
import type { Kysely } from 'kysely';
import { salesInBuckets } from '../sales/sales.ts';
import type { DB } from '../sql/schema.ts';
import type { Plan } from './plan.ts';
import { reasonsOf, type Series } from './read-series.ts';

/** What was sold, and to how many. */
export interface Sold {
  readonly transactions: number;
  readonly amount: Hundredths;
  /** The visitors of the stores and times of which sales are known. */
  readonly visitors: number;
  /** Bits of why their number is incomplete. */
  readonly incomplete: number;
}

/** What a store has sold, by the index of the cell of its plan; cells of which no sales are known are left out. */
export type SoldOf = (
  store: Series,
) => ReadonlyMap<number, Pick<Sold, 'transactions' | 'amount'>> | undefined;

/** Stores in one statement; other requests are answered between two of them. */
const storesAtOnce = 20;

/** Reads what the stores have sold in the cells of their plans. */
export async function readSold(db: Kysely<DB>, series: readonly Series[]): Promise<SoldOf> {
  const sold = new Map<Plan, Map<number, Map<number, Pick<Sold, 'transactions' | 'amount'>>>>();
  for (const [plan, some] of Map.groupBy(series, (one) => one.plan)) {
    const ids = some.map(({ store }) => store.id);
    const byStore = new Map(ids.map((id) => [id, new Map()]));
    for (let next = 0; next < ids.length; next += storesAtOnce) {
      const batch = ids.slice(next, next + storesAtOnce);
      for (const { storeId, bucket, ...found } of await salesInBuckets(db, batch, plan.starts, plan.to))
        byStore.get(storeId)?.set(bucket, found);
    }
    sold.set(plan, byStore);
  }
  return ({ store, plan }) => sold.get(plan)?.get(store.id);
}

/**
 * What a store has sold in all of its cells at `now` (epoch ms), and the visitors of the business days of which sales are
 * known: a sale may be the sum of a day, and an hour without a purchase has no entry. Undefined if no sales are known.
 */
export function soldIn(one: Series, soldOf: SoldOf, now: number): Sold | undefined {
  const sold = soldOf(one);
  if (sold === undefined || sold.size === 0) return undefined;
  const { starts, all } = one.plan;
  const days = new Set([...sold.keys()].map((cell) => all[cell]?.date));
  return starts.reduce<Sold | undefined>((total, _, cell) => {
    if (!days.has(all[cell]?.date)) return total;
    return addSold(total, soldInCell(one, cell, sold.get(cell) ?? { transactions: 0, amount: 0n }, now));
  }, undefined);
}

/** What a store has sold in a cell, and to how many. */
export function soldInCell(
  one: Series,
  cell: number,
  { transactions, amount }: Pick<Sold, 'transactions' | 'amount'>,
  now: number,
): Sold {
  return {
    transactions,
    amount,
    visitors: one.visitors[cell] ?? 0,
    incomplete: reasonsOf(one, cell, now),
  };
}

/** Both together; undefined if no sales are known. */
export function addSold(a: Sold | undefined, b: Sold | undefined): Sold | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    transactions: a.transactions + b.transactions,
    amount: a.amount + b.amount,
    visitors: a.visitors + b.visitors,
    incomplete: a.incomplete | b.incomplete,
  };
}

/**
 * Sales for each visitor, with four decimal places, of the stores and times of which sales are known; null if there were no
 * visitors, or if their number is incomplete.
 */
export function conversionOf({ transactions, visitors, incomplete }: Sold): number | null {
  if (visitors === 0 || incomplete !== 0) return null;
  return Math.round((10_000 * transactions) / visitors) / 10_000;
}
