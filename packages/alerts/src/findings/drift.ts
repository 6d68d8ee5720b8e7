import { doorDays } from '@visitor-counter/database/alerts/recent-counts';
import type { RuledStore, StoreFinding } from '@visitor-counter/database/alerts/store-findings';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { driftOf } from '@visitor-counter/domain/door-drift';
import type { Kysely } from 'kysely';

/** Doors at which entries and exits drift apart, by their last whole business days. */
export async function driftingDoors(
  db: Kysely<unknown>,
  stores: readonly RuledStore[],
  now: number,
): Promise<StoreFinding[]> {
  const starts = stores.map((store) => businessDayOf(now, store).start);
  const rows = await doorDays(
    db,
    stores.map(({ storeId }) => storeId),
    starts.map(quarterOf),
  );
  const begins = new Map(stores.map(({ storeId }, index) => [storeId, starts[index] ?? now]));
  return rows.flatMap((row): StoreFinding[] => {
    const { storeId, deviceId } = row;
    const drift = driftOf({
      lastThreeDays: { entries: row.threeIn, exits: row.threeOut },
      lastWeek: { entries: row.weekIn, exits: row.weekOut },
      before: { entries: row.beforeIn, exits: row.beforeOut },
      isOnly: row.doors === 1,
    });
    const since = begins.get(storeId) ?? now;
    return drift ? [{ storeId, kind: 'door-drift', deviceId, since, about: { ...drift } }] : [];
  });
}
