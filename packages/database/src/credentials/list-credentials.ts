import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import type { CredentialKind, Schema } from '../tables/schema.ts';
import { sidsOfCredential } from './credential-stores.ts';

export interface ListedCredential {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The sids of the stores that it is limited to; null without a limit. */
  readonly stores: readonly string[] | null;
}

/** All credentials, or those of one company, by company, kind and label; never their values. */
export async function listCredentials(db: Kysely<Schema>, company?: string): Promise<ListedCredential[]> {
  const all = db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'credential.company_id')
    .select(['company.name as company', 'kind', 'label', 'credential.created_at as createdAt'])
    .select(['expires_at as expiresAt', 'revoked_at as revokedAt', 'last_used_at as lastUsedAt'])
    .select(sidsOfCredential().as('stores'))
    .orderBy('company.name_key')
    .orderBy('kind')
    .orderBy('label');
  return (company === undefined ? all : all.where('company.name_key', '=', nameKey(company))).execute();
}

/** The owner of a credential. */
export interface CredentialOwner {
  /** SHA-256 of the value. */
  readonly hash: Uint8Array;
  readonly companyKey: string;
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

/** The credentials of all companies that have one of these values, given as their SHA-256. */
export async function findCredentialOwners(
  db: Kysely<Schema>,
  hashes: readonly Buffer[],
): Promise<CredentialOwner[]> {
  return db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'credential.company_id')
    .select(['company.name_key as companyKey', 'company.name as company', 'kind', 'label', 'hash'])
    .where('hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .execute();
}
