import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { instant } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, sidsIn, storeIdsOf } from '../stores/stores.ts';

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

/** The owner of a credential. */
export type CredentialOwner = Awaited<ReturnType<typeof findCredentialOwners>>[number];

/** The credentials of all companies that have one of these values, given as their SHA-256. */
export async function findCredentialOwners(db: Kysely<DB>, hashes: readonly Buffer[]) {
  return await db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'companyId')
    .select(['company.nameKey as companyKey', 'company.name as company', 'kind', 'label', 'hash'])
    .where('hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .$narrowType<{ kind: CredentialKind }>()
    .execute();
}

/** A credential of a company. */
export interface CredentialToWrite {
  readonly kind: CredentialKind;
  readonly label: string;
  /** SHA-256 of its value. */
  readonly hash: Buffer;
  /** Epoch ms; null for one that never expires. */
  readonly expires: number | null;
  readonly revoked: boolean;
  /** The sids of the stores that it is limited to; null without a limit. */
  readonly stores: readonly string[] | null;
  /** Whether staff may change settings with it. */
  readonly settings: boolean;
}

/** Inserts a credential, or updates the one of this kind and label; a revoked one remains revoked since the same time. */
export async function writeCredential(
  db: Kysely<DB>,
  companyKey: string,
  { kind, label, hash, expires, revoked, stores, settings }: CredentialToWrite,
): Promise<void> {
  const values = {
    hash,
    storeIds: storeIdsOf(companyKey, stores),
    mayConfigure: settings,
    expiresAt: expires === null ? null : instant(expires),
  };
  await db
    .insertInto('credential')
    .values({ companyId: companyId(companyKey), kind, label, ...values })
    .onConflict((known) =>
      known
        .columns(['companyId', 'kind', 'label'])
        .doUpdateSet({ ...values, ...(revoked ? {} : { revokedAt: null }) }),
    )
    .execute();
}

export async function revokeCredential(db: Kysely<DB>, id: number): Promise<void> {
  await db.updateTable('credential').set({ revokedAt: sql`now()` }).where('id', '=', id).execute();
}
