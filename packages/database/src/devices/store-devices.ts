import { businessDayOf, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { sql } from 'kysely';
import { type Db, integers } from '../sql/query-builder.ts';
import type { StoreFacts } from '../stores/store-facts.ts';
import { type Completeness, completenessOfDevice, noDevices } from './completeness.ts';
import { type DeviceFacts, deviceFacts } from './device-facts.ts';

/** The devices of a store, and from when to when (epoch ms) its numbers count what is stored. */
export interface StoreDevices {
  readonly store: StoreFacts;
  readonly devices: readonly DeviceFacts[];
  readonly from: number;
  readonly projectedUntil: number;
}

/** The devices of stores at `now` (epoch ms), and what they lack since the present business day began, or since `from`. */
export async function storeDevices(
  db: Db,
  stores: readonly StoreFacts[],
  now: number,
  from?: number,
): Promise<StoreDevices[]> {
  const dayOf = onceForEachCalendar((calendar) => businessDayOf(now, calendar));
  const begins = stores.map(({ calendar }) => from ?? dayOf(calendar).start);
  const ids = stores.map(({ id }) => id);
  const devices = await deviceFacts(db, ids, now, Math.min(now, ...begins));
  const untils = await projectedUntil(db, ids);
  const ofStore = Map.groupBy(devices, ({ storeId }) => storeId);
  return stores.map((store, index) => ({
    store,
    devices: ofStore.get(store.id) ?? [],
    from: begins[index] ?? now,
    projectedUntil: untils.get(store.id) ?? Number.POSITIVE_INFINITY,
  }));
}

/**
 * Until when (epoch ms) the projection contains what the snapshot shows of each store: until its oldest mark was written, and
 * until the oldest of new crossings of any store; Infinity where there is none. Marks of the past are folded later than those
 * of new crossings, and concern only their own stores.
 */
async function projectedUntil(db: Db, storeIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ storeId: number; until: number | null }>`
    select asked.store_id, least(
      (select written_at from mark where first is not null order by id limit 1),
      (select written_at from mark where mark.store_id = asked.store_id and first is null order by id limit 1)
    ) as until
    from unnest(${integers(storeIds)}) as asked (store_id)`.execute(db);
  return new Map(rows.map(({ storeId, until }) => [storeId, until ?? Number.POSITIVE_INFINITY]));
}

/**
 * How complete the numbers of stores are at `now` (epoch ms), by store id: those of the present business day, or from
 * `from` (epoch ms) on.
 */
export async function storeCompleteness(
  db: Db,
  stores: readonly StoreFacts[],
  now: number,
  from?: number,
): Promise<ReadonlyMap<number, Completeness>> {
  const found = await storeDevices(db, stores, now, from);
  return new Map(found.map((one) => [one.store.id, completenessOfStores([one], now)]));
}

/**
 * How complete the numbers of stores are together: as those of the device that has delivered least. Nothing is complete beyond
 * what the projection contains.
 */
export function completenessOfStores(stores: readonly StoreDevices[], now: number): Completeness {
  const parts = stores.flatMap(({ devices, from }) =>
    devices.map((device) => completenessOfDevice(device, now, from)),
  );
  if (parts.length === 0) return noDevices;
  const untils = parts.map(({ completeUntil }) => completeUntil ?? Number.NEGATIVE_INFINITY);
  const until = Math.min(...untils, ...stores.map(({ projectedUntil }) => projectedUntil));
  return {
    completeUntil: Number.isFinite(until) ? until : null,
    obstacles: parts.flatMap(({ obstacles }) => obstacles),
  };
}
