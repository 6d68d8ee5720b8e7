import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { companyId, timestamp } from '../stores/references.ts';
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

export interface NewCredential {
  readonly kind: CredentialKind;
  readonly label: string;
  readonly hash: Buffer;
  /** Epoch ms; null for never. */
  readonly expires: number | null;
}

export async function insertCredential(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, label, hash, expires }: NewCredential,
): Promise<void> {
  await db
    .insertInto('credential')
    .values({ company_id: companyId(companyKey), kind, label, hash, expires_at: expiresAt(expires) })
    .execute();
}

/** The fields of a credential to change; fields that are left out stay as they are. */
export interface CredentialFields {
  readonly hash?: Buffer;
  readonly expires?: number | null;
  readonly revoked?: boolean;
}

/** Changes the given fields, at least one. */
export async function updateCredential(
  db: Kysely<Schema>,
  id: number,
  { hash, expires, revoked }: CredentialFields,
): Promise<void> {
  await db
    .updateTable('credential')
    .set({
      ...(hash === undefined ? {} : { hash }),
      ...(expires === undefined ? {} : { expires_at: expiresAt(expires) }),
      ...(revoked === undefined ? {} : { revoked_at: revoked ? new Date() : null }),
    })
    .where('id', '=', id)
    .execute();
}

function expiresAt(expires: number | null): RawBuilder<Date> | null {
  return expires === null ? null : timestamp(expires);
}

/** The sids that the credential of a row of `credential` is limited to, sorted; null without a limit. */
export function sidsOfCredential(): RawBuilder<string[] | null> {
  return sql<string[] | null>`case when credential.limited then array(
    select store.sid from credential_store
    join store on store.id = credential_store.store_id
    where credential_store.credential_id = credential.id order by store.sid collate "C"
  ) end`;
}

/** Limits a credential to these stores of its company, and no others; with null it opens all of them. */
export async function setCredentialStores(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, label }: { readonly kind: CredentialKind; readonly label: string },
  sids: readonly string[] | null,
): Promise<void> {
  const { id } = await db
    .updateTable('credential')
    .set({ limited: sids !== null })
    .where('company_id', '=', companyId(companyKey))
    .where('kind', '=', kind)
    .where('label', '=', label)
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('credential_store').where('credential_id', '=', id).execute();
  await sql`
    insert into credential_store (credential_id, store_id)
    select ${id}, id from store
    where company_id = ${companyId(companyKey)} and sid = any(${sids ?? []}::text[])`.execute(db);
}
