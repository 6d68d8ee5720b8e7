import { nameKey } from '@visitor-counter/domain/name-key';
import { type RawBuilder, sql } from 'kysely';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';
import type { StoreScope } from '../stores/store-facts.ts';

/** `current.storeId`, to be joined laterally: the store that the row of `device` belongs to at an instant. */
function currentStore(at = sql<number>`now()`) {
  return sql<{ storeId: number }>`store_at(device.id, ${at})`.as<'current'>(sql`current`);
}

/** The devices with the stores that they belong to at an instant, and their states. */
export function devicesInStores(db: Db, at?: RawBuilder<number>) {
  return db
    .selectFrom('device')
    .innerJoinLateral(currentStore(at), (join) => join.onTrue())
    .innerJoin('store', 'store.id', 'current.storeId')
    .leftJoin('deviceState as state', 'state.deviceId', 'device.id');
}

/** Selects devices; each field that is set restricts the selection. */
interface DeviceFilter {
  readonly company?: string | undefined;
  /** The sid of the store that they belong to now. */
  readonly store?: string | undefined;
  /** The name of a shop group that this store is in. */
  readonly group?: string | undefined;
  readonly serials?: readonly string[] | undefined;
}

/** A device, its store now, and its state; `heartbeat` as it is stored, unchecked. Instants are epoch ms. */
export type ListedDevice = Awaited<ReturnType<typeof listDevices>>[number];

/** The devices that a filter selects, by company and serial. */
export async function listDevices(db: Db, { company, store, group, serials }: DeviceFilter = {}) {
  return await db
    .selectFrom('device')
    .innerJoin('company', 'company.id', 'device.companyId')
    .leftJoin('deviceState as state', 'state.deviceId', 'device.id')
    .leftJoin('deviceConnection as connection', 'connection.deviceId', 'device.id')
    .leftJoinLateral(currentStore(), (join) => join.onTrue())
    .leftJoin('store', 'store.id', 'current.storeId')
    .select((eb) => [
      'device.id',
      'device.serial',
      'device.name',
      'company.name as company',
      'store.sid as store',
      'store.name as storeName',
      'device.registeredAt',
      'state.lastActivityAt',
      eb.fn.coalesce('connection.online', eb.lit(false)).as('online'),
      'state.heartbeatAt',
      'state.heartbeat',
      'device.retiredAt',
      'device.secretRevokedAt',
      'device.directionDoubtfulSince',
      'device.targetVersion',
    ])
    .$if(company !== undefined, (some) => some.where('company.nameKey', '=', nameKey(company ?? '')))
    .$if(store !== undefined, (some) => some.where('store.sid', '=', store ?? ''))
    .$if(group !== undefined, (some) =>
      some.where((eb) =>
        eb.exists(
          eb
            .selectFrom('shopGroup')
            .whereRef('shopGroup.companyId', '=', 'device.companyId')
            .where(sql<boolean>`store.id = any(shop_group.store_ids)`)
            .where('shopGroup.nameKey', '=', nameKey(group ?? '')),
        ),
      ),
    )
    .$if(serials !== undefined, (some) =>
      some.where('device.serialKey', '=', sql<string>`any(${(serials ?? []).map(nameKey)})`),
    )
    .orderBy('company.nameKey')
    .orderBy('device.serialKey')
    .execute();
}

interface InactiveSince extends StoreScope {
  /** Epoch ms: a device that was last active at this instant, or before, is inactive. */
  readonly cutoff: number;
  /** Epoch ms: decides which assignment is the current one. */
  readonly now: number;
}

export type InactiveDevice = Awaited<ReturnType<typeof inactiveDevices>>[number];

/**
 * The devices of the visible stores that have been silent since `cutoff`, without retired ones; by store name, then
 * serial. A device that has never reported is silent since its registration.
 */
export async function inactiveDevices(db: Db, { companyId, storeIds, cutoff, now }: InactiveSince) {
  return await devicesInStores(db, instant(now))
    .select((eb) => [
      'device.id',
      'device.serial',
      'device.name',
      'device.companyId',
      eb.fn.coalesce('state.lastActivityAt', 'device.registeredAt').as('lastActivity'),
      'store.sid',
      'store.name as storeName',
      'store.address',
      'store.city',
      'store.timeZone',
    ])
    .where('device.companyId', '=', companyId)
    .where('device.retiredAt', 'is', null)
    .where((eb) => eb(eb.fn.coalesce('state.lastActivityAt', 'device.registeredAt'), '<=', instant(cutoff)))
    .$if(storeIds !== null, (some) => some.where('store.id', '=', anyOf(storeIds ?? [])))
    .orderBy('store.name', (order) => order.collate('C'))
    .orderBy('store.id')
    .orderBy('device.serial', (order) => order.collate('C'))
    .execute();
}
