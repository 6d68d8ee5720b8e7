import { type CredentialKind, hashSecret } from '@visitor-counter/database/credentials/credentials';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import { markQuarters } from '@visitor-counter/database/projection/projection';
import { connect } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { onTestFinished } from 'vitest';
import { projected } from './projected.ts';
import type { AtEnd } from './started-once.ts';

/* Rows for tests, inserted by plain SQL instead of by the parts of the product that normally write them. */

export interface SeedStore {
  readonly companyId: number;
  readonly sid: string;
  readonly name?: string;
  readonly timeZone?: string;
  readonly dayStartsAt?: string;
}

export interface SeedDevice {
  readonly companyId: number;
  readonly storeId: number;
  readonly serial: string;
  readonly secret?: string;
  /** Epoch ms. */
  readonly registeredAt?: number;
  /** Epoch ms; when left out, the device has never connected. */
  readonly lastActivityAt?: number;
}

export interface SeedCredential {
  readonly companyId: number;
  readonly kind: CredentialKind;
  readonly value: string;
  readonly label?: string;
  /** Epoch ms. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Whether it may change settings. */
  readonly settings?: boolean;
}

export interface SeedCrossing {
  readonly journalId: number;
  readonly deviceId: number;
  readonly storeId: number;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: 1 | -1;
}

export type Seed = ReturnType<typeof seed>;

/** Opens a database for seeding, until the end of the test that runs. */
export function seed(url: string, atEnd: AtEnd = onTestFinished) {
  const { pool, kysely, close } = connect(url, { applicationName: 'test seed', maxConnections: 2 });
  atEnd(close);
  const query = async (sql: string, values: readonly unknown[] = []) => {
    for (;;) {
      try {
        return (await pool.query<Record<string, unknown>>(sql, [...values])).rows;
      } catch (error) {
        if (!isLate(error)) throw error;
      }
    }
  };
  const insert = async (sql: string, values: readonly unknown[]) =>
    Number((await query(sql, values))[0]?.['id']);
  return {
    query,
    company: (name: string) =>
      insert('insert into company (name, name_key, retention_months) values ($1, $2, 1200) returning id', [
        name,
        nameKey(name),
      ]),
    store: ({ companyId, sid, name = sid, timeZone = 'UTC', dayStartsAt = '00:00' }: SeedStore) =>
      insert(
        `insert into store (company_id, sid, name, address, city, time_zone, day_starts_at)
         values ($1, $2, $3, '1 High St', 'Irvine', $4, $5) returning id`,
        [companyId, sid, name, timeZone, dayStartsAt],
      ),
    shopGroup: (companyId: number, name: string, storeIds: readonly number[]) =>
      insert(
        `insert into shop_group (company_id, name, name_key, store_ids) values ($1, $2, $3, $4) returning id`,
        [companyId, name, nameKey(name), storeIds],
      ),
    device: (device: SeedDevice) => insertDevice(insert, device),
    /** Moves a device to another store, from `since` (epoch ms) on. */
    move: async (deviceId: number, storeId: number, since: number) => {
      await query('insert into device_assignment values ($1, $2, $3)', [deviceId, new Date(since), storeId]);
    },
    credential: (credential: SeedCredential) => {
      const { companyId, kind, value, label = value, expiresAt, revokedAt, settings = false } = credential;
      return insert(
        `insert into credential (company_id, kind, label, hash, expires_at, revoked_at, may_configure)
         values ($1, $2, $3, $4, $5, $6, $7) returning id`,
        [companyId, kind, label, hashSecret(value), instant(expiresAt), instant(revokedAt), settings],
      );
    },
    /** Limits a credential to stores. */
    limit: async (credentialId: number, storeIds: readonly number[]) => {
      await query('update credential set store_ids = $2 where id = $1', [credentialId, storeIds]);
    },
    /** The id of a device's journal, made when it is missing. */
    journal: (deviceId: number, name: string) =>
      insert(
        `insert into journal (device_id, name) values ($1, $2)
         on conflict (device_id, name) do update set name = excluded.name returning id`,
        [deviceId, name],
      ),
    /** Inserts crossings and updates the occupancy of their stores. */
    crossings: async (crossings: readonly SeedCrossing[]) => {
      await query(insertCrossings, [JSON.stringify(crossings)]);
      await markQuarters(
        kysely,
        crossings.map(({ storeId, at }) => ({ storeId, quarter: quarterOf(at) })),
      );
      await projected(url);
    },
  };
}

/** On a busy machine a new connection takes longer than the product waits for it; nothing has been sent then. */
function isLate(error: unknown): boolean {
  return /connection timeout|timeout exceeded when trying to connect/.test(String(error));
}

type Insert = (sql: string, values: readonly unknown[]) => Promise<number>;

function insertDevice(insert: Insert, device: SeedDevice): Promise<number> {
  const { companyId, storeId, serial, secret = `secret of ${serial}`, registeredAt, lastActivityAt } = device;
  return insert(
    `with added as (
       insert into device (company_id, serial, serial_key, name, secret_hash, registered_at)
       values ($1, $2, $3, $2, $4, coalesce($5, now())) returning id
     ), assigned as (
       insert into device_assignment select id, '-infinity', $6::int from added
     ), state as (
       insert into device_state (device_id, last_activity_at) select id, $7 from added
     )
     select id from added`,
    [
      companyId,
      serial,
      nameKey(serial),
      hashSecret(secret),
      instant(registeredAt),
      storeId,
      instant(lastActivityAt),
    ],
  );
}

const insertCrossings = `
  insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
  select "journalId", "deviceId", "storeId", sequence, to_timestamp(at / 1000), direction
  from json_to_recordset($1) as c(
    "journalId" int, "deviceId" int, "storeId" int, sequence bigint, at float8, direction int)`;

function instant(epochMs: number | undefined): Date | null {
  return epochMs === undefined ? null : new Date(epochMs);
}
