import { type Kysely, sql, type Transaction } from 'kysely';
import { type CredentialToWrite, sidsOfCredential } from '../credentials/credentials.ts';
import type { RuleKind } from '../tables/alerts.ts';
import type { Schema } from '../tables/schema.ts';

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
  readonly alertRules: readonly StoredAlertRule[];
  readonly alertTargets: readonly StoredAlertTarget[];
}

export interface StoredStore {
  readonly sid: string;
  readonly name: string;
  readonly address: string;
  readonly city: string;
  readonly timeZone: string;
  readonly dayStartsAt: string;
  readonly capacity: number | null;
}

export interface StoredShopGroup {
  readonly name: string;
  /** The sids of its stores. */
  readonly stores: ReadonlySet<string>;
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

export interface StoredAlertRule {
  readonly kind: RuleKind;
  readonly afterSeconds: number;
  readonly threshold: string | null;
  readonly enabled: boolean;
}

export interface StoredAlertTarget {
  readonly label: string;
  readonly kind: 'webhook' | 'mail';
  /** Of mail. */
  readonly address: string | null;
  /** The encrypted webhook. */
  readonly sealed: Buffer | null;
  readonly enabled: boolean;
}

/** The key of an advisory lock; nothing else in the same database may use it. */
const topologyLock = 7_210_311_505;

/**
 * Serialises the transactions that change companies, stores, devices and credentials: what one of them has read stays
 * valid until it ends.
 */
export async function lockTopology(trx: Transaction<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${topologyLock})`.execute(trx);
}

export interface TopologyKeys {
  /** Name keys of companies. */
  readonly companies: readonly string[];
  /** Serial keys of devices. */
  readonly devices: readonly string[];
}

/** Reads the companies of these names with all they own, and the devices of these serials. */
export async function loadTopology(db: Kysely<Schema>, keys: TopologyKeys): Promise<StoredTopology> {
  const companies = await db
    .selectFrom('company')
    .select(['id', 'name', 'name_key', 'retention_months as retentionMonths'])
    .where('name_key', '=', sql<string>`any(${keys.companies})`)
    .execute();
  const loaded: [string, StoredCompany][] = [];
  for (const { id, name, name_key, retentionMonths } of companies) {
    loaded.push([name_key, { id, name, retentionMonths, ...(await loadOwned(db, id)) }]);
  }
  return { companies: new Map(loaded), devices: await loadDevices(db, keys.devices) };
}

async function loadOwned(
  db: Kysely<Schema>,
  companyId: number,
): Promise<Omit<StoredCompany, 'id' | 'name' | 'retentionMonths'>> {
  const stores = await db
    .selectFrom('store')
    .select(['sid', 'name', 'address', 'city', 'time_zone as timeZone', 'day_starts_at as dayStartsAt'])
    .select('capacity')
    .where('company_id', '=', companyId)
    .execute();
  const groups = await db
    .selectFrom('shop_group as g')
    .leftJoin('shop_group_store as member', 'member.shop_group_id', 'g.id')
    .leftJoin('store', 'store.id', 'member.store_id')
    .select(['g.name', 'g.name_key'])
    .select(
      sql<string[]>`coalesce(array_agg(store.sid) filter (where store.id is not null), '{}')`.as('sids'),
    )
    .where('g.company_id', '=', companyId)
    .groupBy('g.id')
    .execute();
  const credentials = await db
    .selectFrom('credential')
    .select(['id', 'kind', 'label', 'hash', 'expires_at', 'revoked_at'])
    .select(sidsOfCredential().as('sids'))
    .where('company_id', '=', companyId)
    .execute();
  const alertRules = await db
    .selectFrom('alert_rule')
    .select(['kind', 'after_seconds as afterSeconds', 'threshold', 'enabled'])
    .where('company_id', '=', companyId)
    .execute();
  const alertTargets = await db
    .selectFrom('alert_target')
    .select(['label', 'kind', 'address', 'sealed', 'enabled'])
    .where('company_id', '=', companyId)
    .execute();
  return {
    alertRules,
    alertTargets,
    stores: new Map(stores.map((store) => [store.sid, store])),
    shopGroups: new Map(groups.map((g) => [g.name_key, { name: g.name, stores: new Set(g.sids) }])),
    credentials: credentials.map(({ expires_at, revoked_at, sids, ...credential }) => ({
      ...credential,
      expires: expires_at?.getTime() ?? null,
      revoked: revoked_at !== null,
      stores: sids && new Set(sids),
    })),
  };
}

async function loadDevices(
  db: Kysely<Schema>,
  serialKeys: readonly string[],
): Promise<Map<string, StoredDevice>> {
  const rows = await db
    .selectFrom('device')
    .leftJoin('device_assignment as a', 'a.device_id', 'device.id')
    .leftJoin('store', 'store.id', 'a.store_id')
    .select(['device.id', 'device.company_id', 'serial', 'serial_key', 'device.name', 'secret_hash'])
    .select(['retired_at', 'store.sid'])
    .select(sql<number>`(extract(epoch from a.since) * 1000)::float8`.as('since'))
    .where('serial_key', '=', sql<string>`any(${serialKeys})`)
    .orderBy('device.id')
    .orderBy('a.since')
    .execute();
  const devices = new Map<string, StoredDevice & { assignments: StoredAssignment[] }>();
  for (const row of rows) {
    const device = devices.get(row.serial_key) ?? {
      id: row.id,
      companyId: row.company_id,
      serial: row.serial,
      name: row.name,
      secretHash: row.secret_hash,
      retired: row.retired_at !== null,
      assignments: [] as StoredAssignment[],
    };
    devices.set(row.serial_key, device);
    if (row.sid !== null) device.assignments.push({ since: row.since, store: row.sid });
  }
  return devices;
}
