import { randomBytes } from 'node:crypto';
import { type Author, type Concerned, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import {
  type CodeTarget,
  findDeviceTarget,
  insertEnrolmentCode,
} from '@visitor-counter/database/enrolment/codes';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely, Transaction } from 'kysely';
import { OperatorError } from '../command/context.ts';
import { findStore } from '../command/find.ts';

interface EnrolmentToCreate {
  readonly company?: string | undefined;
  /** The sid of the store of new devices. */
  readonly store?: string | undefined;
  /** The serial of the device whose unit is replaced. */
  readonly replace?: string | undefined;
  readonly uses: number;
  /** Epoch ms. */
  readonly expires: number;
}

interface CreatedEnrolment {
  readonly id: number;
  readonly code: string;
  readonly company: string;
  readonly store: string | null;
  readonly replaces: string | null;
  readonly uses: number;
  /** RFC 3339 in UTC. */
  readonly expires: string;
}

interface Target {
  readonly target: CodeTarget;
  readonly described: Pick<CreatedEnrolment, 'company' | 'store' | 'replaces'>;
}

/**
 * Makes a code that is bound to the key of a server (its SHA-256).
 * Throws OperatorError if there is no such store or device, or several.
 */
export async function createEnrolment(
  trx: Transaction<unknown>,
  author: Author,
  wanted: EnrolmentToCreate,
  serverKeyHash: Uint8Array,
): Promise<CreatedEnrolment> {
  const { target, described } = await findTarget(trx, wanted);
  const code = makeEnrolmentCode(randomBytes(13), fingerprintText(serverKeyHash));
  const { uses, expires } = wanted;
  const hash = hashSecret(parseEnrolmentCode(code)?.text ?? '');
  const id = await insertEnrolmentCode(trx, { target, hash, uses, expiresAt: new Date(expires) });
  const until = new Date(expires).toISOString();
  await recordAudit(trx, author, {
    action: 'enrolment code created',
    ...concerned(described),
    details: { code: id, uses, expires: until },
  });
  return { id, code, ...described, uses, expires: until };
}

/** What a code is for, as the subject of an entry in the audit log. */
export function concerned({ company, store, replaces }: Target['described']): Concerned {
  if (replaces !== null) return { company, subject: { kind: 'device', key: replaces } };
  return { company, subject: { kind: 'store', key: store ?? '' } };
}

async function findTarget(db: Kysely<unknown>, wanted: EnrolmentToCreate): Promise<Target> {
  const { company, store = '', replace } = wanted;
  if (replace !== undefined) return deviceTarget(db, replace, wanted);
  const { companyId, storeId, company: owner } = await findStore(db, store, company);
  return { target: { companyId, storeId }, described: { company: owner, store, replaces: null } };
}

async function deviceTarget(
  db: Kysely<unknown>,
  serial: string,
  { company, store }: EnrolmentToCreate,
): Promise<Target> {
  const found = await findDeviceTarget(db, serial);
  if (found === undefined || (company !== undefined && nameKey(company) !== nameKey(found.company))) {
    const owner = company === undefined ? '' : ` of ${company}`;
    throw new OperatorError(`there is no device ${JSON.stringify(serial)}${owner}`);
  }
  if (store !== undefined && store !== found.store) {
    const message = `device ${found.serial} is in store ${found.store}, and cannot move by enrolling: leave out --store`;
    throw new OperatorError(message);
  }
  const { companyId, deviceId } = found;
  const described = { company: found.company, store: found.store, replaces: found.serial };
  return { target: { companyId, deviceId }, described };
}
