import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

export interface ListedDevice {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  readonly company: string;
  /** The store it belongs to now: its sid and name. */
  readonly store: string | null;
  readonly storeName: string | null;
  readonly registeredAt: Date;
  readonly lastActivityAt: Date | null;
  readonly online: boolean;
  readonly retiredAt: Date | null;
  /** Since when it cannot log in, until it is given another secret. */
  readonly secretRevokedAt: Date | null;
}

/** All devices, or those of one company, by company and serial. */
export async function listDevices(db: Kysely<Schema>, company?: string): Promise<ListedDevice[]> {
  const all = db
    .selectFrom('device')
    .innerJoin('company', 'company.id', 'device.company_id')
    .leftJoin('device_state as state', 'state.device_id', 'device.id')
    .leftJoin('device_connection as connection', 'connection.device_id', 'device.id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('device_assignment as a')
          .innerJoin('store', 'store.id', 'a.store_id')
          .select(['store.sid', 'store.name'])
          .whereRef('a.device_id', '=', 'device.id')
          .where('a.since', '<=', sql<Date>`now()`)
          .orderBy('a.since', 'desc')
          .limit(1)
          .as('current'),
      (join) => join.onTrue(),
    )
    .select(['device.id', 'serial', 'device.name', 'company.name as company'])
    .select(['current.sid as store', 'current.name as storeName', 'registered_at as registeredAt'])
    .select(['state.last_activity_at as lastActivityAt', 'retired_at as retiredAt'])
    .select('secret_revoked_at as secretRevokedAt')
    .select(sql<boolean>`coalesce(connection.online, false)`.as('online'))
    .orderBy('company.name_key')
    .orderBy('serial_key');
  return (company === undefined ? all : all.where('company.name_key', '=', nameKey(company))).execute();
}
