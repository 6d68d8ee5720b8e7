import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** A store that codes can be for. */
export interface StoreTarget {
  readonly companyId: number;
  readonly company: string;
  readonly storeId: number;
}

/** The stores with a sid, of all companies or of one. */
export async function findStoreTargets(
  db: Kysely<Schema>,
  sid: string,
  company?: string,
): Promise<StoreTarget[]> {
  const all = db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'store.company_id')
    .select(['company.id as companyId', 'company.name as company', 'store.id as storeId'])
    .where('sid', '=', sid);
  return (company === undefined ? all : all.where('company.name_key', '=', nameKey(company))).execute();
}

/** A device whose unit can be replaced. */
export interface DeviceTarget {
  readonly companyId: number;
  readonly company: string;
  readonly deviceId: number;
  readonly serial: string;
  /** The sid of the store that it belongs to now. */
  readonly store: string | null;
}

/** The device with a serial number, in any letter case. */
export function findDeviceTarget(db: Kysely<Schema>, serial: string): Promise<DeviceTarget | undefined> {
  return db
    .selectFrom('device')
    .innerJoin('company', 'company.id', 'device.company_id')
    .select(['company.id as companyId', 'company.name as company', 'device.id as deviceId', 'serial'])
    .select(
      sql<string | null>`(
        select sid from device_assignment join store on store.id = store_id
        where device_id = device.id and since <= now() order by since desc limit 1
      )`.as('store'),
    )
    .where('serial_key', '=', nameKey(serial))
    .executeTakeFirst();
}
