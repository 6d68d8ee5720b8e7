import { nameKey } from '@visitor-counter/domain/name-key';
import { recordAudit } from '../audit/audit-log.ts';
import { saveDevice } from '../configuration/device.ts';
import { changeConfiguration } from '../configuration/save-row.ts';
import type { Db, Transaction } from '../sql/query-builder.ts';
import type { EnrolmentOutcome } from './codes.ts';

export interface EnrolmentRequest {
  /** SHA-256 of the code. */
  readonly codeHash: Buffer;
  readonly serial: string;
  /** SHA-256 of the secret that the unit has made. */
  readonly secretHash: Buffer;
  /** The address that the request comes from. */
  readonly address: string;
  readonly now: number;
}

export interface EnrolmentResult {
  readonly outcome: EnrolmentOutcome | 'unknown';
  /** The serial with which the device is registered. */
  readonly serial: string;
}

/**
 * Enrols a unit, or returns the reason why not. Attempts are serialised with each other and with changes of devices: of two
 * with the last use of a code, one enrols.
 */
export async function enrol(db: Db, request: EnrolmentRequest): Promise<EnrolmentResult> {
  const codes = db.selectFrom('enrolmentCode').select('id').where('hash', '=', request.codeHash);
  const known = await codes.executeTakeFirst();
  if (known === undefined) return { outcome: 'unknown', serial: request.serial };
  const author = { kind: 'unit', name: request.serial, credential: null, origin: request.address } as const;
  return await changeConfiguration(db, author, async (trx) => {
    const code = await readCode(trx, known.id);
    const device = await readDevice(trx, request.serial);
    const outcome = decideEnrolment(code, device, request.secretHash, request.now);
    const serial = device?.serial ?? request.serial;
    await carryOut(trx, outcome, code, { serial, secretHash: request.secretHash });
    if (outcome === 'enrolled' || outcome === 'replaced')
      await recordAudit(trx, author, {
        action: outcome === 'replaced' ? 'unit replaced' : 'unit enrolled',
        company: code.company,
        subject: { kind: 'device', key: serial },
        details: { code: known.id, ...(code.sid !== null && { store: code.sid }) },
      });
    /* That another company has the serial is not the caller's business. */
    const isForeign = device !== undefined && device.companyId !== code.companyId;
    return { outcome: isForeign && outcome === 'serial-taken' ? 'unknown' : outcome, serial };
  });
}

/** `replaces` is the device whose unit is replaced; null for codes for new devices. `left`: how often it may still be used. */
type Code = Awaited<ReturnType<typeof readCode>>;

async function readCode(trx: Transaction, id: number) {
  return await trx
    .selectFrom('enrolmentCode as code')
    .innerJoin('company', 'company.id', 'code.companyId')
    .leftJoin('store', 'store.id', 'code.storeId')
    .select((eb) => [
      'code.id',
      'code.companyId',
      'replacesDeviceId as replaces',
      'company.name as company',
      'store.sid',
      'expiresAt',
      eb('uses', '-', eb.ref('used')).as('left'),
      eb('revokedAt', 'is not', null).$castTo<boolean>().as('revoked'),
    ])
    .where('code.id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The device that has the serial. */
export type SerialHolder = NonNullable<Awaited<ReturnType<typeof readDevice>>>;

async function readDevice(trx: Transaction, serial: string) {
  return await trx
    .selectFrom('device')
    .select((eb) => [
      'id',
      'companyId',
      'serial',
      'secretHash',
      eb('secretRevokedAt', 'is not', null).$castTo<boolean>().as('secretRevoked'),
    ])
    .where('serialKey', '=', nameKey(serial))
    .executeTakeFirst();
}

/** When a unit is replaced, the device and its crossings stay; only the secret changes. */
async function carryOut(
  trx: Transaction,
  outcome: EnrolmentOutcome,
  { id, companyId, company, sid }: Code,
  { serial, secretHash }: { readonly serial: string; readonly secretHash: Buffer },
): Promise<void> {
  const owner = { id: companyId, name: company };
  if (outcome === 'enrolled' && sid !== null) {
    await saveDevice(trx, owner, { serial, secretHash, store: sid });
  } else if (outcome === 'replaced') {
    await saveDevice(trx, owner, { serial, secretHash, revoked: false, retired: false });
  } else {
    return;
  }
  await trx
    .updateTable('enrolmentCode')
    .set((eb) => ({ used: eb('used', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** What the outcome of an attempt depends on. */
export type CodeFacts = Pick<Code, 'companyId' | 'replaces' | 'left' | 'expiresAt' | 'revoked'>;

/**
 * Decides the outcome of an attempt. A unit that sends the secret that the device of its serial already has gets the
 * same answer again, whatever the state of the code is now: it lost power between the server's commit and its own
 * write.
 */
export function decideEnrolment(
  code: CodeFacts,
  device: SerialHolder | undefined,
  secretHash: Uint8Array,
  now: number,
): EnrolmentOutcome {
  if (device !== undefined && isOwn(device, code, secretHash)) return 'repeated';
  if (code.revoked) return 'revoked';
  if (code.expiresAt <= now) return 'expired';
  if (code.left <= 0) return 'used-up';
  if (code.replaces !== null) return device?.id === code.replaces ? 'replaced' : 'other-serial';
  return device === undefined ? 'enrolled' : 'serial-taken';
}

function isOwn(device: SerialHolder, { companyId }: CodeFacts, secretHash: Uint8Array): boolean {
  const same = Buffer.compare(device.secretHash, secretHash) === 0;
  return same && !device.secretRevoked && device.companyId === companyId;
}
