import { changeOf, comparedTotal } from '@visitor-counter/domain/compared-total';
import type { LiveState } from '../../data/live.ts';
import type { Alert, StoreVisitors } from '../../data/shapes.ts';
import { hasNoData } from '../../data/visitors.ts';
import type { Problem } from '../../status/condition.tsx';
import { bySeverity, gapOf, needAttention } from '../../status/verdict.ts';
import { compareNames, matches } from '../../text/locale.ts';

/** A store in the list: what the server answered, with what the live stream has sent since. */
export interface CompanyStore extends StoreVisitors {
  /** Whether its days are not over. */
  readonly isPresent: boolean;
  /** Whether it had not begun to count: then it has no number. */
  readonly hasNoData: boolean;
  /** Why its number lacks people, if it does. */
  readonly gap: string | undefined;
  /** What its counters report, and open alerts, the most severe first, if its days are not over. */
  readonly problems: readonly Problem[];
  /** Whether something is wrong that somebody should look at. */
  readonly needsAttention: boolean;
}

/** The stores as they are now. Of their present business days the stream has newer numbers. */
export function companyStores(
  items: readonly StoreVisitors[],
  live: LiveState,
  alerts: readonly Alert[],
): CompanyStore[] {
  const open = Map.groupBy(
    alerts.filter(({ clearedAt }) => clearedAt === null),
    ({ store }) => store,
  );
  return items.map((item) => {
    const now = live.store(item.store);
    /* What is wrong now does not concern days that are over. */
    const isPresent = now === undefined || (item.from <= now.day.date && item.to >= now.day.date);
    const isToday = isPresent && item.from === item.to;
    const visitors = (isToday ? now?.today?.visitors : undefined) ?? item.visitors;
    const problems = isPresent
      ? bySeverity([...(now?.obstacles ?? []), ...(open.get(item.store) ?? [])])
      : [];
    const incomplete = item.incomplete.filter((reason) => reason !== 'running' && reason !== 'not-started');
    return {
      ...item,
      visitors,
      comparable: item.comparable === item.visitors ? visitors : item.comparable,
      occupancy: now?.occupancy ?? item.occupancy,
      capacity: now === undefined ? item.capacity : now.capacity,
      incomplete,
      isPresent,
      hasNoData: !isToday && hasNoData(item),
      gap: gapOf(item.incomplete, isToday ? now?.obstacles : []),
      problems,
      needsAttention: needAttention(problems) || (!isPresent && incomplete.length > 0),
    };
  });
}

/** The visitors of stores together; `gap`: why one of these numbers is not complete. */
export function totalOf(stores: readonly CompanyStore[]) {
  const gap = stores.find((store) => store.before !== null && store.gap !== undefined)?.gap;
  return { ...comparedTotal(stores), gap };
}

type Sort = 'attention' | 'visitors' | 'change' | 'inside' | 'name';

export interface Wanted {
  readonly sort: Sort;
  readonly search: string;
  readonly group: string | undefined;
}

/** The stores of a group that a search finds, in the wanted order, by name where that is equal. */
export function arrange(stores: readonly CompanyStore[], { sort, search, group }: Wanted): CompanyStore[] {
  const found = stores.filter(
    ({ name, groups }) =>
      (group === undefined || groups.includes(group)) && matches([name, ...groups], search),
  );
  const orders: Readonly<Record<Sort, (store: CompanyStore) => number>> = {
    attention: (store) => (store.needsAttention ? Number.POSITIVE_INFINITY : store.visitors),
    visitors: (store) => store.visitors,
    change: (store) => changeOf(store) ?? Number.NEGATIVE_INFINITY,
    inside: (store) => store.occupancy,
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
export function ranksOf(stores: readonly CompanyStore[]): ReadonlyMap<string, number> {
  const sorted = stores.toSorted((a, b) => b.visitors - a.visitors);
  const ranks = new Map<string, number>();
  let rank = 0;
  for (const [index, { store, visitors }] of sorted.entries()) {
    if (sorted[index - 1]?.visitors !== visitors) rank = index + 1;
    ranks.set(store, rank);
  }
  return ranks;
}
