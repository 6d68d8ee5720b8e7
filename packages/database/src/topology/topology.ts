import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { TargetKind } from '../alerts/deliveries.ts';
import type { CredentialKind, CredentialToWrite } from '../credentials/credentials.ts';
import { type MailReport, reportsOf, settingsOf } from '../reports/mail-reports.ts';
import { type AlertRuleSettings, alertRulesOf } from '../settings/alert-settings.ts';
import { currentPlan, staffPlansOf } from '../settings/staff-plans.ts';
import { openingHoursOf, type StoreSettings } from '../settings/store-settings.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import type { DB } from '../sql/schema.ts';
import { sidsIn } from '../stores/stores.ts';

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
  const companies = await db
    .selectFrom('company')
    .select(['id', 'name', 'nameKey', 'retentionMonths'])
    .where('nameKey', 'in', unnested(keys.companies))
    .execute();
  const loaded: [string, StoredCompany][] = [];
  for (const { nameKey, ...company } of companies)
    loaded.push([nameKey, { ...company, ...(await loadOwned(db, company.id)) }]);
  return { companies: new Map(loaded), devices: await loadDevices(db, keys.devices) };
}

/** Names as one parameter, however many there are. */
function unnested(names: readonly string[]) {
  return sql<string>`(select unnest(${[...names]}::text[]))`;
}

async function loadOwned(
  db: Kysely<DB>,
  companyId: number,
): Promise<Omit<StoredCompany, 'id' | 'name' | 'retentionMonths'>> {
  const shopGroups = await db
    .selectFrom('shopGroup')
    .select(['name', 'nameKey'])
    .select(({ selectFrom }) =>
      sql<string[]>`array(${selectFrom('shopGroupStore')
        .innerJoin('store', 'store.id', 'storeId')
        .select('sid')
        .whereRef('shopGroupId', '=', 'shopGroup.id')})`.as('stores'),
    )
    .where('companyId', '=', companyId)
    .execute();
  return {
    alertRules: await alertRulesOf(db, companyId),
    alertTargets: await db
      .selectFrom('alertTarget')
      .select(['label', 'kind', 'address', 'sealed', 'language', 'enabled'])
      .where('companyId', '=', companyId)
      .$narrowType<{ kind: TargetKind; language: MailLanguage }>()
      .execute(),
    reports: (await reportsOf(db, companyId)).map(settingsOf),
    stores: await loadStores(db, companyId),
    shopGroups: new Map(shopGroups.map((group) => [group.nameKey, group])),
    credentials: await db
      .selectFrom('credential')
      .select(['id', 'kind', 'label', 'hash', 'expiresAt as expires', 'mayConfigure as settings'])
      .select((eb) => eb('revokedAt', 'is not', null).$castTo<boolean>().as('revoked'))
      .select(sidsIn('credential.storeIds').as('stores'))
      .where('companyId', '=', companyId)
      .$narrowType<{ kind: CredentialKind }>()
      .execute(),
  };
}

async function loadStores(db: Kysely<DB>, companyId: number): Promise<Map<string, StoredStore>> {
  const stores = await db
    .selectFrom('store')
    .select(['id', 'sid', 'name', 'address', 'city', 'timeZone', 'dayStartsAt', 'capacity'])
    .where('companyId', '=', companyId)
    .execute();
  const ids = stores.map(({ id }) => id);
  const hours = await openingHoursOf(db, ids);
  const plans = await staffPlansOf(db, ids);
  return new Map(
    stores.map(({ id, ...store }) => [
      store.sid,
      { ...store, openingHours: hours.get(id) ?? null, staff: currentPlan(plans.get(id) ?? []) },
    ]),
  );
}

async function loadDevices(
  db: Kysely<DB>,
  serialKeys: readonly string[],
): Promise<Map<string, StoredDevice>> {
  const rows = await db
    .selectFrom('device')
    .leftJoin('deviceAssignment', 'deviceId', 'device.id')
    .leftJoin('store', 'store.id', 'storeId')
    .select(['device.id', 'device.companyId', 'serial', 'serialKey', 'device.name', 'secretHash'])
    .select(['retiredAt', 'since', 'sid'])
    .where('serialKey', 'in', unnested(serialKeys))
    .orderBy('since')
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ serialKey }) => serialKey)].flatMap(([serialKey, assigned]) =>
      assigned.slice(0, 1).map(({ retiredAt, since: _, sid: __, ...device }) => {
        const assignments = assigned.flatMap(({ since, sid }) =>
          /* The first one has no lower bound. */
          since === null || sid === null ? [] : [{ since: since || Number.NEGATIVE_INFINITY, store: sid }],
        );
        return [serialKey, { ...device, retired: retiredAt !== null, assignments }] as const;
      }),
    ),
  );
}
