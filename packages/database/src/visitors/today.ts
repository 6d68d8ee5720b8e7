import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import type { Reader } from '../sql/snapshot.ts';
import type { StoreFacts } from '../stores/stores.ts';
import { countVisitors } from './count-visitors.ts';
import { presentDay } from './plan.ts';

/** Entries and exits since the business day began, and how many of the entries were visitors. */
export interface Today {
  readonly in: number;
  readonly out: number;
  readonly visitors: number;
}

/** What stores have counted in their present business day until `now` (epoch ms), in their order. `db` must be a snapshot. */
export async function readToday(db: Reader, stores: readonly StoreFacts[], now: number): Promise<Today[]> {
  const dayOf = onceForEachCalendar((calendar) => presentDay(calendar, now));
  const days = stores.map(({ calendar }) => dayOf(calendar));
  /* The quarter hours of the present day are never final. */
  const counted = await countVisitors(db, stores, days, 0);
  return counted.map(({ counts, visitors }) => {
    return { in: counts.entries[0] ?? 0, out: counts.exits[0] ?? 0, visitors: visitors[0] ?? 0 };
  });
}
