import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { allOf } from '../sql/conditions.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** For new devices of a store, or for one device; the other id is null. */
export interface CodeTarget {
  readonly storeId: number | null;
  readonly deviceId: number | null;
}

interface NewEnrolmentCode extends CodeTarget {
  readonly hash: Buffer;
  readonly uses: number;
  readonly expiresAt: number;
}

/** Stores a new code and returns its id. */
export async function insertEnrolmentCode(db: Kysely<DB>, code: NewEnrolmentCode): Promise<number> {
  const { storeId, deviceId, hash, uses, expiresAt } = code;
  const { rows } = await sql<{ id: number }>`
    insert into enrolment_code (company_id, store_id, replaces_device_id, hash, uses, expires_at)
    values (coalesce(
      (select company_id from store where id = ${storeId}), (select company_id from device where id = ${deviceId})
    ), ${storeId}, ${deviceId}, ${hash}, ${uses}, ${timestamp(expiresAt)})
    returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Revokes a code: true if this call revoked it, false if it was revoked before, undefined if there is none. */
export async function revokeEnrolmentCode(db: Kysely<DB>, id: number): Promise<boolean | undefined> {
  const { rows } = await sql<{ revoked: boolean }>`
    with revoked as (
      update enrolment_code set revoked_at = now() where id = ${id} and revoked_at is null returning id
    )
    select exists (select from revoked) as revoked from enrolment_code where id = ${id}`.execute(db);
  return rows[0]?.revoked;
}

/** Which of these codes, by SHA-256 in hexadecimal, can enrol a unit at `now`. */
export async function openEnrolmentCodes(
  db: Kysely<DB>,
  hashes: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, true>> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from enrolment_code
    where hash = any(${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])
      and revoked_at is null and expires_at > ${timestamp(now)} and used < uses`.execute(db);
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
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** All codes, those of one company, or the one with an id, the latest first. */
export async function listEnrolmentCodes(
  db: Kysely<DB>,
  { company, id }: { readonly company?: string | undefined; readonly id?: number },
): Promise<ListedEnrolmentCode[]> {
  const { rows } = await sql<ListedEnrolmentCode>`
    select code.id, company.name as company, store.sid as store, device.serial as replaces, uses, used,
      code.created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
    from enrolment_code code join company on company.id = code.company_id
    left join store on store.id = code.store_id
    left join device on device.id = code.replaces_device_id
    where ${allOf(
      company !== undefined && sql`company.name_key = ${nameKey(company)}`,
      id !== undefined && sql`code.id = ${id}`,
    )}
    order by code.id desc`.execute(db);
  return rows;
}

/** The result of an attempt to enrol with a known code. */
export type EnrolmentOutcome =
  | 'enrolled'
  | 'replaced'
  /** The unit has enrolled before and has not received the answer. */
  | 'repeated'
  | 'revoked'
  | 'expired'
  | 'used-up'
  /** A device has the serial, and the code is not for it. */
  | 'serial-taken'
  /** The code is for the unit of another serial. */
  | 'other-serial';

interface ListedAttempt {
  readonly at: number;
  readonly address: string;
  readonly serial: string;
  readonly outcome: EnrolmentOutcome;
}

/** The attempts with a code, in order. */
export async function listEnrolmentAttempts(db: Kysely<DB>, codeId: number): Promise<ListedAttempt[]> {
  const { rows } = await sql<ListedAttempt>`
    select at, address, serial, outcome from enrolment_attempt where code_id = ${codeId} order by id`.execute(
    db,
  );
  return rows;
}
