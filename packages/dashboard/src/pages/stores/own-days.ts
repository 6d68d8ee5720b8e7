import * as v from 'valibot';
import { visitorsByStore } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import { StoreVisitors } from '../../data/shapes.ts';
import { compareOf, daysOf, type View } from '../../parts/address.ts';

/* Stores in several zones have several present days. Each store is shown by its own days, as on its page. Totals are of the same
   dates in every store, the earliest of these: otherwise a total would drop when the day of one store ends. */

export const StoresAnswer = v.object({
  /** Each store by its own days. */
  own: v.array(StoreVisitors),
  /** All stores by the earliest days. */
  together: v.array(StoreVisitors),
});
export type StoresAnswer = v.InferOutput<typeof StoresAnswer>;

/** The present business days of the stores, in order; none before the stream has sent them. */
export function presentDays(live: LiveState): string[] {
  return [...new Set(live.stores.value.map(({ day }) => day.date))].sort();
}

/** The visitors of a view, of stores that have these present days. */
export async function loadStores(
  live: LiveState,
  view: View,
  todays: readonly string[],
): Promise<StoresAnswer> {
  const dates = typeof view.range === 'object' ? todays.slice(0, 1) : todays;
  const answers = await Promise.all(
    dates.map((today) => visitorsByStore({ ...daysOf(view.range, today), compare: compareOf(view) })),
  );
  const [together = []] = answers.map(({ items }) => items);
  const answerOf = new Map(dates.map((date, index) => [date, answers[index]?.items]));
  const own = together.map((item) => {
    const items = answerOf.get(live.store(item.store)?.day.date ?? '');
    return items?.find(({ store }) => store === item.store) ?? item;
  });
  return { own, together };
}
