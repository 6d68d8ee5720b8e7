import type { Reader } from '../sql/snapshot.ts';
import type { Plan } from './plan.ts';
import type { Series } from './read-series.ts';
import { readSales } from './sources.ts';
import type { SoldOf } from './sums.ts';

/** Reads what the stores have sold in the cells of their plans. */
export async function readSold(db: Reader, series: readonly Series[]): Promise<SoldOf> {
  const sold = new Map<Plan, Awaited<ReturnType<typeof readSales>>>();
  for (const [plan, some] of Map.groupBy(series, (one) => one.plan)) {
    const ids = some.map(({ store }) => store.id);
    sold.set(plan, await readSales(db, ids, plan.starts, plan.to));
  }
  return ({ store, plan }, cell) => sold.get(plan)?.(store.id, cell);
}
