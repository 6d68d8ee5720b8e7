/** The visitors of a store in a period. */
export interface ComparedVisitors {
  readonly visitors: number;
  /** The part of `visitors` that `before` may be compared with: of the times that both periods have. Null like `before`. */
  readonly comparable: number | null;
  /** In the compared period; null if the store had counted nothing by then, or if nothing is compared. */
  readonly before: number | null;
}

/**
 * The visitors of stores together. A new store must not look like growth: `comparable` and `before` are of those stores only
 * that had begun to count in the compared period.
 */
export function comparedTotal(stores: readonly ComparedVisitors[]): ComparedVisitors {
  const compared = stores.filter(({ before }) => before !== null);
  const isCompared = compared.length > 0;
  return {
    visitors: sum(stores.map(({ visitors }) => visitors)),
    comparable: isCompared ? sum(compared.map(({ comparable }) => comparable ?? 0)) : null,
    before: isCompared ? sum(compared.map(({ before }) => before ?? 0)) : null,
  };
}

/** The change as a ratio; null if there is nothing to compare with. */
export function changeOf({ comparable, before }: Omit<ComparedVisitors, 'visitors'>): number | null {
  return comparable === null || before === null || before === 0 ? null : comparable / before - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
