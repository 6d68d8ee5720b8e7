import { moneyText } from '@visitor-counter/domain/money';
import type { CellSales, Series } from './read-series.ts';

/** What was sold, and to how many. */
export interface Sold extends CellSales {
  /** The visitors of the stores and times of which sales are known. */
  readonly visitors: number;
  /** Bits of why their number is incomplete. */
  readonly incomplete: number;
}

/**
 * What a store has sold in all of its cells, and the visitors of the business days of which sales are known: a sale may be the
 * sum of a day, and an hour without a purchase has no entry. Undefined if no sales are known.
 */
export function soldIn(one: Series): Sold | undefined {
  const { starts, all } = one.plan;
  const days = new Set([...one.sales.keys()].map((cell) => all[cell]?.date));
  return starts.reduce<Sold | undefined>((total, _, cell) => {
    if (!days.has(all[cell]?.date)) return total;
    return addSold(total, soldInCell(one, cell, one.sales.get(cell) ?? { transactions: 0, amount: 0n }));
  }, undefined);
}

/** What a store has sold in a cell, and to how many; undefined if no sales are known. */
export function soldInCell(one: Series, cell: number, sales = one.sales.get(cell)): Sold | undefined {
  return sales && { ...sales, visitors: one.visitors[cell] ?? 0, incomplete: one.incomplete[cell] ?? 0 };
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

/** What was sold, as answers and sheets have it: null if no sales are known. */
export function salesItem(sold: Sold | undefined) {
  return {
    transactions: sold?.transactions ?? null,
    amount: sold ? moneyText(sold.amount) : null,
    conversion: sold ? conversionOf(sold) : null,
  };
}
