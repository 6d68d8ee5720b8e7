import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql, type Transaction } from 'kysely';
import { insertDevice, updateDevice } from '../devices/write-device.ts';
import type { EnrolmentOutcome } from '../tables/enrolment.ts';
import type { Schema } from '../tables/schema.ts';
import { lockTopology } from '../topology/stored-topology.ts';
import { decideEnrolment } from './decide.ts';
import { recordAttempt } from './note-attempt.ts';

export interface EnrolmentRequest {
  /** SHA-256 of the code. */
  readonly codeHash: Buffer;
  readonly serial: string;
  /** SHA-256 of the secret that the unit has made. */
  readonly secretHash: Buffer;
  /** The address that the request comes from. */
  readonly address: string;
  readonly now: Date;
}

export interface EnrolmentResult {
  readonly outcome: EnrolmentOutcome | 'unknown';
  /** The serial with which the device is registered. */
  readonly serial: string;
}

/**
 * Enrols a unit, or returns the reason why not. Every attempt with a known code is recorded. Attempts are serialised
 * with each other and with changes of devices: of two with the last use of a code, one enrols.
 */
export async function enrol(db: Kysely<Schema>, request: EnrolmentRequest): Promise<EnrolmentResult> {
  const known = await db
    .selectFrom('enrolment_code')
    .select('id')
    .where('hash', '=', request.codeHash)
    .executeTakeFirst();
  if (known === undefined) return { outcome: 'unknown', serial: request.serial };
  return await db.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const code = await readCode(trx, known.id);
    const device = await readDevice(trx, request.serial);
    const outcome = decideEnrolment(code, device, request.secretHash, request.now);
    const serial = device?.serial ?? request.serial;
    await carryOut(trx, outcome, code, { serial, secretHash: request.secretHash });
    await recordAttempt(trx, { ...request, codeId: known.id, outcome, serial });
    return { outcome, serial };
  });
}

type Code = Awaited<ReturnType<typeof readCode>>;

function readCode(trx: Transaction<Schema>, id: number) {
  return trx
    .selectFrom('enrolment_code as code')
    .innerJoin('company', 'company.id', 'code.company_id')
    .leftJoin('store', 'store.id', 'code.store_id')
    .select(['code.id', 'code.company_id as companyId', 'replaces_device_id as replaces'])
    .select(['company.name_key as companyKey', 'store.sid', 'expires_at as expiresAt'])
    .select(sql<number>`uses - used`.as('left'))
    .select(sql<boolean>`revoked_at is not null`.as('revoked'))
    .where('code.id', '=', id)
    .executeTakeFirstOrThrow();
}

function readDevice(trx: Transaction<Schema>, serial: string) {
  return trx
    .selectFrom('device')
    .select(['id', 'company_id as companyId', 'serial', 'secret_hash as secretHash'])
    .select(sql<boolean>`secret_revoked_at is not null`.as('secretRevoked'))
    .where('serial_key', '=', nameKey(serial))
    .executeTakeFirst();
}

/** When a unit is replaced, the device and its crossings stay; only the secret changes. */
async function carryOut(
  trx: Transaction<Schema>,
  outcome: EnrolmentOutcome,
  { id, companyKey, sid }: Code,
  { serial, secretHash }: { readonly serial: string; readonly secretHash: Buffer },
): Promise<void> {
  if (outcome === 'enrolled' && sid !== null) {
    await insertDevice(trx, companyKey, { serial, name: serial, secretHash, store: sid });
  } else if (outcome === 'replaced') {
    await updateDevice(trx, serial, { secretHash, retired: false });
  } else {
    return;
  }
  await trx.updateTable('enrolment_code').set({ used: sql<number>`used + 1` }).where('id', '=', id).execute();
}
