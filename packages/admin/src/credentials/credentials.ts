import { setCredentialStores } from '@visitor-counter/database/credentials/credential-stores';
import { findCredentialOwners } from '@visitor-counter/database/credentials/find-credential-owners';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { insertCredential, updateCredential } from '@visitor-counter/database/credentials/write-credential';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import { loadTopology } from '@visitor-counter/database/topology/load-topology';
import type { StoredCompany, StoredCredential } from '@visitor-counter/database/topology/stored-topology';
import { lockTopology } from '@visitor-counter/database/topology/topology-lock';
import { nameKey } from '@visitor-counter/domain/name-key';
import { OperatorError } from '../context/operator-error.ts';

export interface CredentialToIssue {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Epoch ms; null for never. Left out: never, or as it was where a credential is rotated. */
  readonly expires?: number | null;
  /** Generated when left out. */
  readonly value?: string;
  /** Whether one that is in use gets a new value. */
  readonly rotate?: boolean;
  /** The sids of the stores that it is to open; null for all. Left out: all, or as it was. */
  readonly stores?: readonly string[] | null;
}

export interface IssuedCredential {
  readonly action: 'created' | 'rotated' | 'reissued';
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly value: string;
  /** RFC 3339 in UTC. */
  readonly expires: string | null;
  /** The sids of the stores that it opens; null for all. */
  readonly stores: readonly string[] | null;
}

/**
 * Issues a credential: a new one, one that was revoked, or, with `rotate`, one in use with a new value.
 * Throws OperatorError: unknown-company, unknown-store, in-use, value-taken.
 */
export async function issueCredential(db: Database, wanted: CredentialToIssue): Promise<IssuedCredential> {
  const { kind, label } = wanted;
  const value = wanted.value ?? generateSecret();
  const hash = hashSecret(value);
  const companyKey = nameKey(wanted.company);
  return db.kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
    const company = companies.get(companyKey);
    if (company === undefined) throw unknownCompany(wanted.company);
    const stored = company.credentials.find((one) => one.kind === kind && one.label === label);
    if (stored && !stored.revoked && !wanted.rotate) throw inUse(wanted);
    const sids = storesOf(company, wanted, stored);
    const owners = await findCredentialOwners(trx, [hash]);
    if (owners.length > 0)
      throw new OperatorError('value-taken', 'another credential has this value already');
    const kept = stored && !stored.revoked ? stored.expires : null;
    const expires = wanted.expires === undefined ? kept : wanted.expires;
    if (stored) await updateCredential(trx, stored.id, { hash, expires, revoked: false });
    else await insertCredential(trx, companyKey, { kind, label, hash, expires });
    await setCredentialStores(trx, companyKey, { kind, label }, sids);
    return {
      action: stored === undefined ? 'created' : stored.revoked ? 'reissued' : 'rotated',
      ...{ company: company.name, kind, label, value },
      expires: expires === null ? null : new Date(expires).toISOString(),
      stores: sids,
    };
  });
}

function storesOf(
  company: StoredCompany,
  { stores }: CredentialToIssue,
  stored: StoredCredential | undefined,
): readonly string[] | null {
  if (stores === undefined) return stored?.stores ? [...stored.stores] : null;
  const unknown = stores?.find((sid) => !company.stores.has(sid));
  if (unknown !== undefined) {
    throw new OperatorError('unknown-store', `${company.name} has no store ${JSON.stringify(unknown)}`);
  }
  return stores && [...new Set(stores)];
}

export function unknownCompany(name: string): OperatorError {
  return new OperatorError('unknown-company', `there is no company ${JSON.stringify(name)}`);
}

function inUse({ company, kind, label }: CredentialToIssue): OperatorError {
  const message = `${company} has a ${kind} credential ${label} in use: replace its value with --rotate, or choose another label`;
  return new OperatorError('in-use', message);
}

export interface CredentialToRevoke {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

export interface RevokedCredential extends CredentialToRevoke {
  /** False for one that was revoked before. */
  readonly changed: boolean;
}

/**
 * Revokes a credential; doing it again changes nothing.
 * Throws OperatorError: unknown-company, unknown-credential.
 */
export async function revokeCredential(db: Database, wanted: CredentialToRevoke): Promise<RevokedCredential> {
  const companyKey = nameKey(wanted.company);
  return db.kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
    const company = companies.get(companyKey);
    if (company === undefined) throw unknownCompany(wanted.company);
    const stored = company.credentials.find(
      ({ kind, label }) => kind === wanted.kind && label === wanted.label,
    );
    if (stored === undefined) {
      const message = `${company.name} has no ${wanted.kind} credential ${wanted.label}; see \`admin token list\``;
      throw new OperatorError('unknown-credential', message);
    }
    const changed = !stored.revoked;
    if (changed) await updateCredential(trx, stored.id, { revoked: true });
    return { company: company.name, kind: wanted.kind, label: wanted.label, changed };
  });
}
