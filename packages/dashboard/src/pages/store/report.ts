import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as v from 'valibot';
import { Quarter } from '../../data/shapes.ts';
import {
  DoorCounts,
  quarters,
  VisitorBucket,
  Visitors,
  type VisitorsQuery,
  visitors,
  visitorsByDoor,
} from '../../data/visitors.ts';
import { compareOf, daysOf, type View } from '../../parts/address.ts';
import { firstWeekday } from '../../text/locale.ts';

/** All that a store page shows of a range of days. */
export const Report = v.object({
  answer: Visitors,
  /** The whole compared day by hour, while the day is not over. */
  compared: v.array(VisitorBucket),
  doors: v.array(DoorCounts),
  /** The people inside at the end of each quarter hour; empty for ranges that are not shown by hour. */
  quarters: v.array(Quarter),
});
export type Report = v.InferOutput<typeof Report>;

/** The query for a store and a view; `today` is the store's business day. */
export function queryOf(store: string, view: View, today: string): VisitorsQuery {
  const weekStart = firstWeekday() === 7 ? 'sunday' : 'monday';
  return { store, ...daysOf(view.range, today), compare: compareOf(view), weekStart };
}

export async function loadReport(query: VisitorsQuery): Promise<Report> {
  const [answer, doors] = await Promise.all([visitors(query), visitorsByDoor(query)]);
  if (answer.bucket !== 'hour') return { answer, doors, compared: [], quarters: [] };
  const running = answer.compared?.until ? answer.compared : undefined;
  const [inside, whole] = await Promise.all([quarters(query), running && wholeDays(query.store, running)]);
  return { answer, doors, compared: whole?.items ?? [], quarters: inside };
}

/** The compared days by hour, also the hours that are later than the present one. */
const wholeDays = (store: string, { from, to }: { readonly from: string; readonly to: string }) =>
  visitors({ store, from, to, bucket: 'hour' });

/** A value that follows `value` at most once in `pause` ms; the first one that is defined, at once. */
export function useThrottled<Value>(value: Value, pause: number): Value {
  const throttled = useSignal({ value, at: 0 });
  useEffect(() => {
    const wait = Math.max(0, throttled.value.at + pause - Date.now());
    const timer = setTimeout(() => {
      if (throttled.value.value !== value) throttled.value = { value, at: Date.now() };
    }, wait);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return throttled.value.value ?? value;
}
