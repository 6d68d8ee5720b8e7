import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { allOf } from '../sql/conditions.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { companyId } from '../stores/stores.ts';

/** What a credential is for: the four count operations, GetLifeSignalInactive, the page with its corrections, or tills. */
export const credentialKinds = ['counts', 'life-signal', 'staff', 'sales'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export interface ListedCredential {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** The sids of the stores that it is limited to; null without a limit. */
  readonly stores: readonly string[] | null;
  /** Whether staff may change settings with it. */
  readonly settings: boolean;
}

/** All credentials, or those of one company, by company, kind and label; never their values. */
export async function listCredentials(db: Kysely<DB>, company?: string): Promise<ListedCredential[]> {
  const { rows } = await sql<ListedCredential>`
    select company.name as company, kind, label, credential.created_at as "createdAt", expires_at as "expiresAt",
      revoked_at as "revokedAt", last_used_at as "lastUsedAt", may_configure as settings,
      ${sidsOfCredential} as stores
    from credential join company on company.id = company_id
    where ${allOf(company !== undefined && sql`company.name_key = ${nameKey(company)}`)}
    order by company.name_key, kind, label`.execute(db);
  return rows;
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
  db: Kysely<DB>,
  hashes: readonly Buffer[],
): Promise<CredentialOwner[]> {
  const { rows } = await sql<CredentialOwner>`
    select company.name_key as "companyKey", company.name as company, kind, label, hash
    from credential join company on company.id = company_id where hash = any(${hashes}::bytea[])`.execute(db);
  return rows;
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
  const company = companyId(companyKey);
  const { rows } = await sql<{ id: number }>`
    insert into credential as known (company_id, kind, label, hash, limited, may_configure, expires_at)
    values (
      ${company}, ${kind}, ${label}, ${hash}, ${stores !== null}, ${settings},
      ${expires === null ? null : timestamp(expires)}
    )
    on conflict (company_id, kind, label) do update set
      hash = excluded.hash, limited = excluded.limited, may_configure = excluded.may_configure,
      expires_at = excluded.expires_at,
      revoked_at = case when ${revoked} then known.revoked_at end
    returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`delete from credential_store where credential_id = ${id}`.execute(db);
  await sql`
    insert into credential_store (credential_id, store_id)
    select ${id}::integer, id from store
    where company_id = ${company} and sid = any(${[...(stores ?? [])]}::text[])`.execute(db);
}

export async function revokeCredential(db: Kysely<DB>, id: number): Promise<void> {
  await sql`update credential set revoked_at = now() where id = ${id}`.execute(db);
}

/** The sids that the credential of a row of `credential` is limited to, sorted; null without a limit. */
export const sidsOfCredential = sql`case when credential.limited then array(
    select store.sid from credential_store
    join store on store.id = credential_store.store_id
    where credential_store.credential_id = credential.id order by store.sid collate "C"
  ) end`;
