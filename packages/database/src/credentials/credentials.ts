import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import type { DB } from '../sql/schema.ts';
import { sidsIn } from '../stores/stores.ts';

/** What a credential is for: the four count operations, GetLifeSignalInactive, the page with its corrections, or tills. */
export const credentialKinds = ['counts', 'life-signal', 'staff', 'sales'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * All credentials, or those of one company, by company, kind and label; never their values. `stores` are the sids of the
 * stores that one is limited to (null without a limit), `settings` whether staff may change settings with it.
 */
export async function listCredentials(db: Kysely<DB>, company?: string) {
  return await db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'companyId')
    .select(['company.name as company', 'kind', 'label', 'createdAt', 'expiresAt', 'revokedAt'])
    .select(['lastUsedAt', 'mayConfigure as settings', sidsIn('credential.storeIds').as('stores')])
    .$if(company !== undefined, (all) => all.where('company.nameKey', '=', nameKey(company ?? '')))
    .orderBy('company.nameKey')
    .orderBy('kind')
    .orderBy('label')
    .$narrowType<{ kind: CredentialKind }>()
    .execute();
}

/**
 * The stored hash of a secret of a device or credential. Secrets are random, so a single SHA-256 does not reveal
 * them.
 */
export function hashSecret(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A new secret of 192 random bits, in characters that need no quoting in URLs, forms, YAML or shells. */
export function generateSecret(): string {
  return randomBytes(24).toString('base64url').replace(/^-/, 'A');
}

/** Compares in constant time. */
export function secretMatches(secret: string | Uint8Array, hash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
