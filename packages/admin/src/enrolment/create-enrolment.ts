import { randomBytes } from 'node:crypto';
import { type Author, type Concerned, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { insertEnrolmentCode } from '@visitor-counter/database/enrolment/codes';
import type { DB } from '@visitor-counter/database/sql/schema';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import type { Transaction } from 'kysely';
import { findDevice, findStore } from '../command/find.ts';

interface EnrolmentToCreate {
  readonly company?: string | undefined;
  /** The sid of the store of new devices, or the serial of the device whose unit is replaced. */
  readonly of: { readonly store: string } | { readonly replace: string };
  readonly uses: number;
  /** Epoch ms. */
  readonly expires: number;
  /** The key of the server (its SHA-256) to which the code is bound. */
  readonly serverKeyHash: Uint8Array;
}

/** Makes a code. Throws OperatorError if there is no such store or device, or several. */
export async function createEnrolment(
  trx: Transaction<DB>,
  author: Author,
  { company: given, of, uses, expires, serverKeyHash }: EnrolmentToCreate,
) {
  const device = 'replace' in of ? await findDevice(trx, of.replace, given) : undefined;
  const store = 'store' in of ? await findStore(trx, of.store, given) : undefined;
  const target = {
    company: (device ?? store)?.company ?? '',
    store: 'store' in of ? of.store : null,
    replaces: device?.serial ?? null,
  };
  const code = makeEnrolmentCode(randomBytes(13), fingerprintText(serverKeyHash));
  const id = await insertEnrolmentCode(trx, {
    storeId: store?.id ?? null,
    deviceId: device?.id ?? null,
    hash: hashSecret(parseEnrolmentCode(code)?.text ?? ''),
    uses,
    expiresAt: expires,
  });
  const until = new Date(expires).toISOString();
  const details = { code: id, uses, expires: until };
  await recordAudit(trx, author, { action: 'enrolment code created', ...concerned(target), details });
  return { id, code, ...target, uses, expires: until };
}

/** The purpose of a code, as the subject of an entry in the audit log. */
export function concerned({
  company,
  store,
  replaces,
}: {
  readonly company: string;
  readonly store: string | null;
  readonly replaces: string | null;
}): Concerned {
  if (replaces !== null) return { company, subject: { kind: 'device', key: replaces } };
  return { company, subject: { kind: 'store', key: store ?? '' } };
}
