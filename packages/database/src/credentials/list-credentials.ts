import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
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
