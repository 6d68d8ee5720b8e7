import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { companyId } from '../stores/stores.ts';
import type { CredentialKind, Schema } from '../tables/schema.ts';

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
  readonly stores: ReadonlySet<string> | null;
}

/** Inserts a credential, or updates the one of this kind and label; a revoked one remains revoked since the same time. */
export async function writeCredential(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, label, hash, expires, revoked, stores }: CredentialToWrite,
): Promise<void> {
  const company = companyId(companyKey);
  const fields = {
    ...{ hash, limited: stores !== null, expires_at: expires === null ? null : new Date(expires) },
    ...(revoked ? {} : { revoked_at: null }),
  };
  const { id } = await db
    .insertInto('credential')
    .values({ company_id: company, kind, label, ...fields })
    .onConflict((conflict) => conflict.columns(['company_id', 'kind', 'label']).doUpdateSet(fields))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('credential_store').where('credential_id', '=', id).execute();
  await sql`
    insert into credential_store (credential_id, store_id)
    select ${id}, id from store
    where company_id = ${company} and sid = any(${[...(stores ?? [])]}::text[])`.execute(db);
}

export async function revokeCredential(db: Kysely<Schema>, id: number): Promise<void> {
  await db.updateTable('credential').set({ revoked_at: new Date() }).where('id', '=', id).execute();
}

/** The sids that the credential of a row of `credential` is limited to, sorted; null without a limit. */
export function sidsOfCredential(): RawBuilder<string[] | null> {
  return sql<string[] | null>`case when credential.limited then array(
    select store.sid from credential_store
    join store on store.id = credential_store.store_id
    where credential_store.credential_id = credential.id order by store.sid collate "C"
  ) end`;
}
