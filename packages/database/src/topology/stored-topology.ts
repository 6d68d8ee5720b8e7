import { sql, type Transaction } from 'kysely';
import type { RuleKind } from '../tables/alert-kind.ts';
import type { CredentialKind, Schema } from '../tables/schema.ts';

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
  /** By sid. */
  readonly stores: ReadonlyMap<string, StoredStore>;
  /** By name key. */
  readonly shopGroups: ReadonlyMap<string, StoredShopGroup>;
  readonly credentials: readonly StoredCredential[];
  readonly alertRules: readonly StoredAlertRule[];
  readonly alertTargets: readonly StoredAlertTarget[];
}

export interface StoredStore {
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly address: string;
  readonly city: string;
  readonly timeZone: string;
  readonly dayStartsAt: string;
  readonly capacity: number | null;
}

export interface StoredShopGroup {
  readonly id: number;
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

export interface StoredCredential {
  readonly id: number;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly hash: Uint8Array;
  /** Epoch ms; null for one that never expires. */
  readonly expires: number | null;
  readonly revoked: boolean;
  /** The sids of the stores that it is limited to; null without a limit. */
  readonly stores: ReadonlySet<string> | null;
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
  readonly address: string;
  readonly secret: string | null;
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
