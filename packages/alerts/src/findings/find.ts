import { doorDays } from '@visitor-counter/database/alerts/recent-counts';
import {
  type FindingKind,
  type RuledStore,
  type StoreFinding,
  storesWithRule,
} from '@visitor-counter/database/alerts/store-findings';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { driftOf } from '@visitor-counter/domain/door-drift';
import { visitorsWhileClosed } from './closed.ts';
import { silentDoors } from './silent.ts';

type Find = (db: Db, stores: readonly RuledStore[], now: number) => Promise<StoreFinding[]>;

/** Stores that are compared at a time. */
const chunk = 200;

const searches: Readonly<Record<FindingKind, Find>> = {
  'visitors-while-closed': visitorsWhileClosed,
  'silent-while-open': silentDoors,
  'direction-doubtful': driftingDoors,
};

/** Finds unusual counts of stores at `now` (epoch ms). */
export async function findUnusual(db: Db, now: number, kind: FindingKind): Promise<StoreFinding[]> {
  const found: StoreFinding[] = [];
  for (let after = 0; ; ) {
    const stores = await storesWithRule(db, kind, after, chunk);
    if (stores.length === 0) return found;
    after = stores.at(-1)?.storeId ?? after;
    found.push(...(await searches[kind](db, stores, now)));
  }
}

/** Doors at which entries and exits drift apart, by their last whole business days. */
async function driftingDoors(db: Db, stores: readonly RuledStore[], now: number): Promise<StoreFinding[]> {
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
    return drift ? [{ storeId, kind: 'direction-doubtful', deviceId, since, about: { ...drift } }] : [];
  });
}
