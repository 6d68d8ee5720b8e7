import { compareNames, matches } from '../../text/search.ts';

/** What the list of all stores shows of a store. */
export interface StoreRow {
  readonly sid: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly visitors: number;
  /** In the compared period; null if that is not known. */
  readonly before: number | null;
  readonly inside: number;
  /** Whether the store is open now; null without opening hours. */
  readonly isOpen: boolean | null;
  /** Whether something is wrong that somebody should look at. */
  readonly needsAttention: boolean;
}

export const sorts = ['attention', 'visitors', 'change', 'inside', 'name'] as const;
export type Sort = (typeof sorts)[number];

export interface Wanted {
  readonly sort: Sort;
  readonly search: string;
  readonly group: string | undefined;
}

/** The change against the compared period as a ratio; null without one. */
function changeOf({ visitors, before }: Pick<StoreRow, 'visitors' | 'before'>): number | null {
  return before === null || before === 0 ? null : visitors / before - 1;
}

/** The stores of a group that a search finds, in the wanted order, by name where that is equal. */
export function arrange<Row extends StoreRow>(rows: readonly Row[], { sort, search, group }: Wanted): Row[] {
  const found = rows.filter(
    ({ name, groups }) =>
      (group === undefined || groups.includes(group)) && matches([name, ...groups], search),
  );
  const orders: Readonly<Record<Sort, (row: Row) => number>> = {
    attention: (row) => (row.needsAttention ? Number.POSITIVE_INFINITY : row.visitors),
    visitors: (row) => row.visitors,
    change: (row) => changeOf(row) ?? Number.NEGATIVE_INFINITY,
    inside: (row) => row.inside,
    name: () => 0,
  };
  const order = orders[sort];
  return found.toSorted((a, b) => descending(order(a), order(b)) || compareNames(a.name, b.name));
}

/** Larger numbers first; 0 if they are equal, infinite ones included. */
function descending(a: number, b: number): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

/** The rank of each store by its visitors, from 1; stores with as many visitors have the same rank. */
export function ranksOf(rows: readonly StoreRow[]): ReadonlyMap<string, number> {
  const sorted = rows.toSorted((a, b) => b.visitors - a.visitors);
  const ranks = new Map<string, number>();
  let rank = 0;
  for (const [index, { sid, visitors }] of sorted.entries()) {
    if (sorted[index - 1]?.visitors !== visitors) rank = index + 1;
    ranks.set(sid, rank);
  }
  return ranks;
}
