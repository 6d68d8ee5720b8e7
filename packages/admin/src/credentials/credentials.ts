import {
  findCredentialOwners,
  insertCredential,
  setCredentialStores,
  updateCredential,
} from '@visitor-counter/database/credentials/credentials';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { CredentialKind, Schema } from '@visitor-counter/database/tables/schema';
import type { StoredCompany, StoredCredential } from '@visitor-counter/database/topology/topology';
import { loadTopology, lockTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import { OperatorError, unknownCompany } from '../command/operator-error.ts';

export interface CredentialToIssue {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Epoch ms; null for never. Left out: never, or unchanged for a credential that is rotated. */
  readonly expires?: number | null;
  /** Generated when left out. */
  readonly value?: string;
  /** Whether a credential that is in use gets a new value. */
  readonly rotate?: boolean;
  /** The sids of the stores that it gives access to; null for all. Left out: all, or unchanged. */
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
  /** The sids of the stores that it gives access to; null for all. */
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
  return changeCredential(db, wanted, async (trx, company, stored) => {
    if (stored && !stored.revoked && !wanted.rotate) throw inUse(wanted);
    const sids = storesOf(company, wanted, stored);
    const owners = await findCredentialOwners(trx, [hash]);
    if (owners.length > 0)
      throw new OperatorError('value-taken', 'another credential has this value already');
    const unchanged = stored && !stored.revoked ? stored.expires : null;
    const expires = wanted.expires === undefined ? unchanged : wanted.expires;
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
  return changeCredential(db, wanted, async (trx, company, stored) => {
    if (stored === undefined) {
      const message = `${company.name} has no ${wanted.kind} credential ${wanted.label}; see \`admin token list\``;
      throw new OperatorError('unknown-credential', message);
    }
    const changed = !stored.revoked;
    if (changed) await updateCredential(trx, stored.id, { revoked: true });
    return { company: company.name, kind: wanted.kind, label: wanted.label, changed };
  });
}

/** Runs `change` in a transaction, with the company and the stored credential of this kind and label, if any. */
function changeCredential<Result>(
  { kysely }: Database,
  wanted: CredentialToRevoke,
  change: (
    trx: Transaction<Schema>,
    company: StoredCompany,
    stored: StoredCredential | undefined,
  ) => Promise<Result>,
): Promise<Result> {
  const companyKey = nameKey(wanted.company);
  return kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
    const company = companies.get(companyKey);
    if (company === undefined) throw unknownCompany(wanted.company);
    const isWanted = ({ kind, label }: StoredCredential) => kind === wanted.kind && label === wanted.label;
    return change(trx, company, company.credentials.find(isWanted));
  });
}
