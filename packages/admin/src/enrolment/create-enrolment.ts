import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import {
  type CodeTarget,
  findDeviceTarget,
  findStoreTargets,
  insertEnrolmentCode,
} from '@visitor-counter/database/enrolment/codes';
import type { Database } from '@visitor-counter/database/sql/connect';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { nameKey } from '@visitor-counter/domain/name-key';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { OperatorError } from '../command/context.ts';

export interface EnrolmentToCreate {
  readonly company?: string | undefined;
  /** The sid of the store of new devices. */
  readonly store?: string | undefined;
  /** The serial of the device whose unit is replaced. */
  readonly replace?: string | undefined;
  readonly uses: number;
  /** Epoch ms. */
  readonly expires: number;
}

export interface CreatedEnrolment {
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
  { kysely }: Pick<Database, 'kysely'>,
  wanted: EnrolmentToCreate,
  serverKeyHash: Uint8Array,
): Promise<CreatedEnrolment> {
  const { target, described } = await findTarget(kysely, wanted);
  const code = makeEnrolmentCode(randomBytes(13), fingerprintText(serverKeyHash));
  const { uses, expires } = wanted;
  const hash = hashSecret(parseEnrolmentCode(code)?.text ?? '');
  const id = await insertEnrolmentCode(kysely, { target, hash, uses, expiresAt: new Date(expires) });
  return { id, code, ...described, uses, expires: new Date(expires).toISOString() };
}

async function findTarget(db: Database['kysely'], wanted: EnrolmentToCreate): Promise<Target> {
  const { company, store = '', replace } = wanted;
  if (replace !== undefined) return deviceTarget(db, replace, wanted);
  const [found, ...others] = await findStoreTargets(db, store, company);
  if (found === undefined) throw new OperatorError(`there is no store ${named(store, company)}`);
  if (others.length > 0) {
    const names = [found, ...others].map((one) => one.company).join(', ');
    throw new OperatorError(`${names} have a store ${store}: choose one with --company`);
  }
  const { companyId, storeId } = found;
  return { target: { companyId, storeId }, described: { company: found.company, store, replaces: null } };
}

async function deviceTarget(
  db: Database['kysely'],
  serial: string,
  { company, store }: EnrolmentToCreate,
): Promise<Target> {
  const found = await findDeviceTarget(db, serial);
  if (found === undefined || (company !== undefined && nameKey(company) !== nameKey(found.company))) {
    throw new OperatorError(`there is no device ${named(serial, company)}`);
  }
  if (store !== undefined && store !== found.store) {
    const message = `device ${found.serial} is in store ${found.store}, and cannot move by enrolling: leave out --store`;
    throw new OperatorError(message);
  }
  const { companyId, deviceId } = found;
  const described = { company: found.company, store: found.store, replaces: found.serial };
  return { target: { companyId, deviceId }, described };
}

function named(name: string, company: string | undefined): string {
  return company === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} of ${company}`;
}

/** One certificate in a PEM file. */
const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificate by which units identify the server: the last one in the server's certificate file, or the public root
 * that has signed it. Throws ConfigurationError.
 */
export async function findAnchor(setting: string, file: string): Promise<X509Certificate> {
  const last = (await readCertificates(setting, file)).at(-1);
  if (last === undefined) throw new ConfigurationError(setting, file, 'a PEM file with certificates');
  if (isSignedBy(last, last)) return last;
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.find((root) => isSignedBy(last, root)) ?? last;
}

async function readCertificates(setting: string, file: string): Promise<X509Certificate[]> {
  try {
    const pems = (await readFile(file, 'utf8')).match(certificate) ?? [];
    return pems.map((pem) => new X509Certificate(pem));
  } catch {
    throw new ConfigurationError(setting, file, 'a PEM file with certificates');
  }
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey);
}
