import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import type { EnrolmentOutcome } from '../tables/companies.ts';
import type { Schema } from '../tables/schema.ts';

/** For new devices of a store, or for one device. */
export type CodeTarget =
  | { readonly companyId: number; readonly storeId: number }
  | { readonly companyId: number; readonly deviceId: number };

export interface NewEnrolmentCode {
  readonly target: CodeTarget;
  readonly hash: Buffer;
  readonly uses: number;
  readonly expiresAt: Date;
}

/** Stores a new code and returns its id. */
export async function insertEnrolmentCode(db: Kysely<Schema>, code: NewEnrolmentCode): Promise<number> {
  const { target, hash, uses, expiresAt } = code;
  const { id } = await db
    .insertInto('enrolment_code')
    .values({
      company_id: target.companyId,
      store_id: 'storeId' in target ? target.storeId : null,
      replaces_device_id: 'deviceId' in target ? target.deviceId : null,
      ...{ hash, uses, expires_at: expiresAt },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Revokes a code: true if this call revoked it, false if it was revoked before, undefined if there is none. */
export async function revokeEnrolmentCode(db: Kysely<Schema>, id: number): Promise<boolean | undefined> {
  const { numUpdatedRows } = await db
    .updateTable('enrolment_code')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  const found = await db.selectFrom('enrolment_code').select('id').where('id', '=', id).executeTakeFirst();
  return found && false;
}

/** Which of these codes, by SHA-256 in hexadecimal, can enrol a unit at `now`. */
export async function openEnrolmentCodes(
  db: Kysely<Schema>,
  hashes: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, true>> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from enrolment_code
    where hash = any(${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])
      and revoked_at is null and expires_at > ${now} and used < uses`.execute(db);
  return new Map(rows.map(({ hash }) => [hash.toString('hex'), true]));
}

export interface ListedEnrolmentCode {
  readonly id: number;
  readonly company: string;
  /** The sid of the store; null for a code that replaces a unit. */
  readonly store: string | null;
  /** The serial of the device whose unit is replaced. */
  readonly replaces: string | null;
  readonly uses: number;
  readonly used: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** All codes, or those of one company, the latest first. */
export async function listEnrolmentCodes(
  db: Kysely<Schema>,
  company?: string,
): Promise<ListedEnrolmentCode[]> {
  const all = db
    .selectFrom('enrolment_code as code')
    .innerJoin('company', 'company.id', 'code.company_id')
    .leftJoin('store', 'store.id', 'code.store_id')
    .leftJoin('device', 'device.id', 'code.replaces_device_id')
    .select(['code.id', 'company.name as company', 'store.sid as store', 'device.serial as replaces'])
    .select(['uses', 'used', 'code.created_at as createdAt', 'expires_at as expiresAt'])
    .select('revoked_at as revokedAt')
    .orderBy('code.id', 'desc');
  return (company === undefined ? all : all.where('company.name_key', '=', nameKey(company))).execute();
}

export interface ListedAttempt {
  readonly at: Date;
  readonly address: string;
  readonly serial: string;
  readonly outcome: EnrolmentOutcome;
}

/** The attempts with a code, in order. */
export function listEnrolmentAttempts(db: Kysely<Schema>, codeId: number): Promise<ListedAttempt[]> {
  return db
    .selectFrom('enrolment_attempt')
    .select(['at', 'address', 'serial', 'outcome'])
    .where('code_id', '=', codeId)
    .orderBy('id')
    .execute();
}

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
