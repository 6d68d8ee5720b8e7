import * as v from 'valibot';
import { visitorsByStore } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import { StoreVisitors } from '../../data/shapes.ts';
import { compareOf, daysOf, type View } from '../../parts/address.ts';

/* Stores in several zones have several present days. Each store is shown by its own days, as on its page. Totals are of the same
   dates in every store, the earliest of these: otherwise a total would drop when the day of one store ends. */

/** All stores for each of the present days, in order; only once for dates that somebody has chosen. */
export const StoresAnswer = v.array(v.array(StoreVisitors));
export type StoresAnswer = v.InferOutput<typeof StoresAnswer>;

/** The present business days of the stores, in order; none before the stream has sent them. */
export function presentDays(live: LiveState): string[] {
  return [...new Set(live.stores.value.map(({ day }) => day.date))].sort();
}

/** Before the stream has sent the present days, one answer has each store by its own one; undefined for other days. */
export async function loadStores(
  { range, compare }: View,
  todays: readonly string[],
): Promise<StoresAnswer | undefined> {
  if (todays.length === 0) {
    if (range !== 'today') return undefined;
    const { items } = await visitorsByStore({ compare: compareOf({ range, compare }) });
    return [items];
  }
  const dates = typeof range === 'object' ? todays.slice(0, 1) : todays;
  const asked = dates.map((today) =>
    visitorsByStore({ ...daysOf(range, today), compare: compareOf({ range, compare }) }),
  );
  return (await Promise.all(asked)).map(({ items }) => items);
}

/** Each store by its own days. */
export function byOwnDays([first = [], ...others]: StoresAnswer, live: LiveState): StoreVisitors[] {
  if (others.length === 0) return first;
  const todays = presentDays(live);
  const byId = [first, ...others].map((items) => new Map(items.map((item) => [item.store, item])));
  return first.map((item) => {
    const today = live.store(item.store)?.day.date ?? '';
    return byId[todays.indexOf(today)]?.get(item.store) ?? item;
  });
}
