import { nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import { type Db, instant } from '../sql/query-builder.ts';

/** For new devices of a store, or for one device; the other id is null. */
interface CodeTarget {
  readonly storeId: number | null;
  readonly deviceId: number | null;
}

interface NewEnrolmentCode extends CodeTarget {
  readonly hash: Buffer;
  readonly uses: number;
  readonly expiresAt: number;
}

/** Stores a new code and returns its id. */
export async function insertEnrolmentCode(db: Db, code: NewEnrolmentCode): Promise<number> {
  const { storeId, deviceId, hash, uses, expiresAt } = code;
  const companyId = sql<number>`coalesce(
    (select company_id from store where id = ${storeId}), (select company_id from device where id = ${deviceId})
  )`;
  const { id } = await db
    .insertInto('enrolmentCode')
    .values({ companyId, storeId, replacesDeviceId: deviceId, hash, uses, expiresAt: instant(expiresAt) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Revokes a code; false if it was revoked before, or if there is none. */
export async function revokeEnrolmentCode(db: Db, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('enrolmentCode')
    .set({ revokedAt: sql<number>`now()` })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A code: `store` is the sid of its store, or `replaces` the serial of the device whose unit is replaced. */
export type ListedEnrolmentCode = Awaited<ReturnType<typeof listEnrolmentCodes>>[number];

/** All codes, those of one company, or the one with an id, the latest first. */
export async function listEnrolmentCodes(
  db: Db,
  { company, id }: { readonly company?: string | undefined; readonly id?: number },
) {
  return await db
    .selectFrom('enrolmentCode as code')
    .innerJoin('company', 'company.id', 'code.companyId')
    .leftJoin('store', 'store.id', 'code.storeId')
    .leftJoin('device', 'device.id', 'code.replacesDeviceId')
    .select(['code.id', 'company.name as company', 'store.sid as store', 'device.serial as replaces'])
    .select(['uses', 'used', 'code.createdAt', 'expiresAt', 'revokedAt'])
    .$if(company !== undefined, (some) => some.where('company.nameKey', '=', nameKey(company ?? '')))
    .$if(id !== undefined, (some) => some.where('code.id', '=', id ?? 0))
    .orderBy('code.id', 'desc')
    .execute();
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
