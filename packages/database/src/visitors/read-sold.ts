import type { Hundredths } from '@visitor-counter/domain/amount';
import { salesInBuckets } from '../sales/read-sales.ts';
import type { Reader } from '../sql/snapshot.ts';
import type { Plan } from './plan.ts';
import type { Series } from './read-series.ts';

/** What was sold in a bucket. */
export interface Sold {
  readonly transactions: number;
  readonly amount: Hundredths;
}

/** What a store has sold in a cell of its plan; undefined where no sales are known. */
export type SoldOf = (series: Series, cell: number) => Sold | undefined;

/** Reads what the stores have sold in the cells of their plans. */
export async function readSold(db: Reader, series: readonly Series[]): Promise<SoldOf> {
  const sold = new Map<Plan, Map<string, Sold>>();
  for (const [plan, some] of Map.groupBy(series, (one) => one.plan)) {
    const ids = some.map(({ store }) => store.id);
    const found = await salesInBuckets(db, ids, plan.starts, plan.to);
    sold.set(plan, new Map(found.map((one) => [`${one.storeId} ${one.bucket}`, one])));
  }
  return ({ store, plan }, cell) => sold.get(plan)?.get(`${store.id} ${cell}`);
}

/** The sales of both; undefined if none are known. */
export function addSold(a: Sold | undefined, b: Sold | undefined): Sold | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { transactions: a.transactions + b.transactions, amount: a.amount + b.amount };
}
