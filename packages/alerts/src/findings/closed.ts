import { entriesSince } from '@visitor-counter/database/alerts/recent-counts';
import type { RuledStore, StoreFinding } from '@visitor-counter/database/alerts/store-findings';
import { quarterLength, startOfQuarter } from '@visitor-counter/database/occupancy/quarter';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openingHoursOf, type Staff, staffOf } from '@visitor-counter/database/stores/hours-and-staff';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { type OpeningHours, openBetween } from '@visitor-counter/domain/opening-hours';
import { staffPassagesOn } from '@visitor-counter/domain/staff-plan';

/** An alert ends this long after the last visitor (ms); crossings that are delivered later than that raise none. */
const lately = 2 * 60 * 60_000;

/** Staff may come this much earlier or later than declared (ms). */
const unpunctual = 30 * 60_000;

/**
 * Stores into which people came while they were closed: at least the time of the rule after closing, and as
 * long before opening. Staff who are declared or were tapped around that time are left out.
 */
export async function visitorsWhileClosed(
  db: Db,
  stores: readonly RuledStore[],
  now: number,
): Promise<StoreFinding[]> {
  const begin = now - lately;
  const entries = Map.groupBy(
    await entriesSince(
      db,
      stores.map(({ storeId }) => storeId),
      begin,
    ),
    ({ storeId }) => storeId,
  );
  if (entries.size === 0) return [];
  const hours = await openingHoursOf(db, [...entries.keys()]);
  const staff = await staffOf(db, [...entries.keys()], begin - unpunctual, now + unpunctual);
  return stores.flatMap((store): StoreFinding[] => {
    const { storeId, after } = store;
    const closed = (entries.get(storeId) ?? []).filter((one) =>
      isClosedAround(hours.get(storeId) ?? null, store, startOfQuarter(one.quarter), after),
    );
    const [first] = closed;
    const came = closed.reduce((sum, one) => sum + one.entries, 0);
    const people = came - staffAround(staff.get(storeId), store, begin, now);
    if (first === undefined || people <= 0) return [];
    const since = startOfQuarter(first.quarter);
    return [{ storeId, kind: 'visitors-while-closed', deviceId: null, since, about: { people } }];
  });
}

/** Whether a quarter hour is in closed hours, at least `margin` (ms) away from open ones. */
function isClosedAround(
  hours: OpeningHours | null,
  zone: { readonly timeZone: string },
  start: number,
  margin: number,
): boolean {
  return openBetween(hours, zone, start - margin, start + quarterLength + margin).length === 0;
}

/** How many of the staff may have come in from one instant to another. */
function staffAround(staff: Staff | undefined, store: RuledStore, from: number, to: number): number {
  if (staff === undefined) return 0;
  const days = [...new Set([from, to].map((at) => businessDayOf(at, store).date))];
  const declared = days.flatMap((date) => staffPassagesOn(staff.plans, store, date));
  return [...declared, ...staff.passages]
    .filter(({ at }) => at >= from - unpunctual && at <= to + unpunctual)
    .reduce((sum, { people }) => sum + people, 0);
}
