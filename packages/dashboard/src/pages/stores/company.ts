import type { LiveState } from '../../data/live.ts';
import type { Alert, Opening, StoreVisitors } from '../../data/shapes.ts';
import { hasNoData } from '../../data/visitors.ts';
import type { StoreRow } from './arrange.ts';

/** A store in the list: what the server answered, with what the live stream has sent since. */
export interface CompanyStore extends StoreRow {
  readonly capacity: number | null;
  readonly incomplete: readonly string[];
  /** Whether it had not begun to count: then it has no number. */
  readonly hasNoData: boolean;
  readonly opening: Opening;
  readonly alerts: readonly Alert[];
}

/**
 * The stores as they are now. `isToday`: the answer is about the present business day, of which the stream has newer
 * numbers.
 */
export function companyStores(
  items: readonly StoreVisitors[],
  live: LiveState,
  alerts: readonly Alert[],
  isToday: boolean,
): CompanyStore[] {
  const open = Map.groupBy(
    alerts.filter(({ clearedAt }) => clearedAt === null),
    ({ store }) => store,
  );
  return items.map((item) => {
    const now = live.store(item.store);
    const own = open.get(item.store) ?? [];
    return {
      sid: item.store,
      name: item.name,
      groups: item.groups,
      before: item.before,
      visitors: (isToday ? now?.today?.visitors : undefined) ?? item.visitors,
      inside: now?.occupancy ?? item.occupancy,
      capacity: now === undefined ? item.capacity : now.capacity,
      isOpen: item.open,
      opening: item,
      incomplete: item.incomplete.filter((reason) => reason !== 'running' && reason !== 'not-started'),
      hasNoData: !isToday && hasNoData(item),
      alerts: own,
      needsAttention: own.length > 0 || (now?.obstacles.length ?? 0) > 0,
    };
  });
}

/**
 * The visitors of stores together. `before` is the compared period, and `comparable` the visitors now, of those stores that
 * were counted then: a new store must not look like growth.
 */
export function totalOf(stores: readonly StoreRow[]) {
  const compared = stores.filter(({ before }) => before !== null);
  const sum = (of: readonly StoreRow[], number: (store: StoreRow) => number) =>
    of.reduce((total, store) => total + number(store), 0);
  return {
    visitors: sum(stores, ({ visitors }) => visitors),
    comparable: sum(compared, ({ visitors }) => visitors),
    before: compared.length === 0 ? null : sum(compared, ({ before }) => before ?? 0),
  };
}
