import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { TargetKind } from '../alerts/deliveries.ts';
import { type CredentialToWrite, sidsOfCredential } from '../credentials/credentials.ts';
import { type MailReport, reportsOf, settingsOf } from '../reports/mail-reports.ts';
import { type AlertRuleSettings, alertRulesOf } from '../settings/alert-settings.ts';
import { currentPlan, staffPlansOf } from '../settings/staff-plans.ts';
import { openingHoursOf, type StoreSettings } from '../settings/store-settings.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import type { DB } from '../sql/schema.ts';

/** The stored companies, devices and credentials that a topology file names. */
export interface StoredTopology {
  /** By name key. */
  readonly companies: ReadonlyMap<string, StoredCompany>;
  /** By serial key, of any company. */
  readonly devices: ReadonlyMap<string, StoredDevice>;
}

export interface StoredCompany {
  readonly id: number;
  readonly name: string;
  /** How long its crossings are kept; null: for ever. */
  readonly retentionMonths: number | null;
  /** By sid. */
  readonly stores: ReadonlyMap<string, StoredStore>;
  /** By name key. */
  readonly shopGroups: ReadonlyMap<string, StoredShopGroup>;
  readonly credentials: readonly StoredCredential[];
  readonly alertRules: readonly AlertRuleSettings[];
  readonly alertTargets: readonly StoredAlertTarget[];
  readonly reports: readonly MailReport[];
}

export interface StoredStore extends BusinessCalendar, StoreSettings {
  readonly sid: string;
  readonly name: string;
  readonly address: string;
  readonly city: string;
}

export interface StoredShopGroup {
  readonly name: string;
  /** The sids of its stores. */
  readonly stores: readonly string[];
}

export interface StoredDevice {
  readonly id: number;
  readonly companyId: number;
  readonly serial: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  readonly retired: boolean;
  /** In order of `since`. */
  readonly assignments: readonly StoredAssignment[];
}

export interface StoredAssignment {
  /** Epoch ms; -Infinity for the first one. */
  readonly since: number;
  /** The sid of the store. */
  readonly store: string;
}

export interface StoredCredential extends CredentialToWrite {
  readonly id: number;
}

export interface StoredAlertTarget {
  readonly label: string;
  readonly kind: TargetKind;
  /** Of mail. */
  readonly address: string | null;
  /** The encrypted webhook. */
  readonly sealed: Buffer | null;
  readonly language: MailLanguage;
  readonly enabled: boolean;
}

/**
 * Serialises the transactions that change companies, stores, devices and credentials: what one of them has read stays
 * valid until it ends.
 */
export async function lockTopology(trx: Transaction<DB>): Promise<void> {
  await takeLock(trx, lockKeys.topology);
}

interface TopologyKeys {
  /** Name keys of companies. */
  readonly companies: readonly string[];
  /** Serial keys of devices. */
  readonly devices: readonly string[];
}

/** Reads the companies of these names with all they own, and the devices of these serials. */
export async function loadTopology(db: Kysely<DB>, keys: TopologyKeys): Promise<StoredTopology> {
  const { rows: companies } = await sql<CompanyRow>`
    select id, name, name_key, retention_months as "retentionMonths"
    from company where name_key = any(${keys.companies}::text[])`.execute(db);
  const loaded: [string, StoredCompany][] = [];
  for (const { id, name, nameKey, retentionMonths } of companies) {
    loaded.push([nameKey, { id, name, retentionMonths, ...(await loadOwned(db, id)) }]);
  }
  return { companies: new Map(loaded), devices: await loadDevices(db, keys.devices) };
}

interface CompanyRow extends Pick<StoredCompany, 'id' | 'name' | 'retentionMonths'> {
  readonly nameKey: string;
}

async function loadOwned(db: Kysely<DB>, companyId: number): Promise<Omit<StoredCompany, keyof CompanyRow>> {
  const { rows: stores } = await sql<Omit<StoredStore, 'openingHours' | 'staff'> & { id: number }>`
    select id, sid, name, address, city, time_zone as "timeZone", day_starts_at as "dayStartsAt", capacity
    from store where company_id = ${companyId}`.execute(db);
  const ids = stores.map(({ id }) => id);
  const hours = await openingHoursOf(db, ids);
  const plans = await staffPlansOf(db, ids);
  const { rows: groups } = await sql<StoredShopGroup & { nameKey: string }>`
    select name, name_key, array(
      select sid from shop_group_store join store on store.id = store_id where shop_group_id = shop_group.id
    ) as stores
    from shop_group where company_id = ${companyId}`.execute(db);
  const { rows: credentials } = await sql<StoredCredential>`
    select id, kind, label, hash, (extract(epoch from expires_at) * 1000)::float8 as expires,
      revoked_at is not null as revoked, may_configure as settings, ${sidsOfCredential} as stores
    from credential where company_id = ${companyId}`.execute(db);
  const { rows: alertTargets } = await sql<StoredAlertTarget>`
    select label, kind, address, sealed, language, enabled from alert_target where company_id = ${companyId}`.execute(
    db,
  );
  return {
    alertRules: await alertRulesOf(db, companyId),
    alertTargets,
    reports: (await reportsOf(db, companyId)).map(settingsOf),
    stores: new Map(
      stores.map(({ id, ...store }) => [
        store.sid,
        { ...store, openingHours: hours.get(id) ?? null, staff: currentPlan(plans.get(id) ?? []) },
      ]),
    ),
    shopGroups: new Map(groups.map((group) => [group.nameKey, group])),
    credentials,
  };
}

interface DeviceRow extends Omit<StoredDevice, 'assignments'> {
  readonly serialKey: string;
  /** Of its assignments: since when (epoch ms), and the sids of the stores. */
  readonly since: readonly number[];
  readonly sids: readonly string[];
}

async function loadDevices(
  db: Kysely<DB>,
  serialKeys: readonly string[],
): Promise<Map<string, StoredDevice>> {
  const { rows } = await sql<DeviceRow>`
    select device.id, device.company_id as "companyId", serial, serial_key as "serialKey", device.name,
      secret_hash as "secretHash", retired_at is not null as retired,
      array_remove(array_agg((extract(epoch from since) * 1000)::float8 order by since), null) as since,
      array_remove(array_agg(sid order by since), null) as sids
    from device
    left join device_assignment on device_id = device.id
    left join store on store.id = store_id
    where serial_key = any(${serialKeys}::text[])
    group by device.id`.execute(db);
  return new Map(
    rows.map(({ serialKey, since, sids, ...device }) => {
      const assignments = sids.map((store, index) => ({ since: since[index] ?? 0, store }));
      return [serialKey, { ...device, assignments }];
    }),
  );
}
