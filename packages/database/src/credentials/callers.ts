import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StoreScope } from '../stores/stores.ts';
import type { CredentialKind } from './credentials.ts';

/** A caller with a valid credential. */
export interface CallerRow {
  readonly by: 'credential' | 'session';
  /** SHA-256 of the credential or cookie that the caller sent. */
  readonly hash: Buffer;
  readonly company_id: number;
  readonly company_name: string;
  readonly credential_id: number;
  readonly kind: CredentialKind;
  /** The stores that it is limited to, by id; null without a limit. */
  readonly store_ids: readonly number[] | null;
  readonly label: string;
  /** Whether it may change settings. */
  readonly may_configure: boolean;
  readonly expires_at: Date | null;
  /** When the session ends; null for a caller who sends the credential itself. */
  readonly session_expires_at: Date | null;
}

/** SHA-256 of the credentials and of the sessions' cookies that callers have sent. */
interface SentHashes {
  readonly credentials: readonly Buffer[];
  readonly sessions: readonly Buffer[];
}

/**
 * The callers who have sent these, and may use them at `now`; one statement, however many there are. Throws like
 * `requireRestored` if there are any callers.
 */
export async function callersOf(
  db: Kysely<unknown>,
  { credentials, sessions }: SentHashes,
  now: Date,
): Promise<CallerRow[]> {
  const { rows } = await sql<CallerRow>`
    select c.by, c.sent_hash as hash, c.company_id, company.name as company_name, c.id as credential_id, c.kind, c.label,
      c.may_configure, c.expires_at, c.session_expires_at, ${storesOfCredential} as store_ids, require_restored()
    from (
      select credential.*, 'credential' as by, hash as sent_hash, null::timestamptz as session_expires_at
      from credential where hash = any(${credentials}::bytea[])
      union all
      select credential.*, 'session', session.hash, session.expires_at
      from session join credential on credential.id = session.credential_id
      where session.hash = any(${sessions}::bytea[]) and session.expires_at > ${now}
    ) c
    join company on company.id = c.company_id
    where ${isValidAt(now)}`.execute(db);
  return rows;
}

/** A credential that a caller has sent. */
export interface SentCredential {
  /** The key of the name of the company that the caller names. */
  readonly companyKey: string;
  /** The kind that is required. */
  readonly kind: CredentialKind;
  /** SHA-256 of the credential. */
  readonly hash: Buffer;
}

/** What a credential gives access to: all stores of a company, or some of them. */
export interface OpenedCompany extends StoreScope {
  readonly credentialId: number;
}

/**
 * What each credential gives access to at `now`, in their order; undefined for an invalid one, whatever the
 * reason. One statement, and for each credential one row and the same two index lookups whether anything exists or not, so
 * that neither the answer nor its time reveals what was wrong. Throws like `requireRestored`.
 */
export async function openedCompanies(
  db: Kysely<unknown>,
  credentials: readonly SentCredential[],
  now: Date,
): Promise<(OpenedCompany | undefined)[]> {
  const companyKeys = credentials.map(({ companyKey }) => companyKey);
  const kinds = credentials.map(({ kind }) => kind);
  const hashes = credentials.map(({ hash }) => hash);
  const { rows } = await sql<OpenedRow>`
    select company.id as company_id, c.id as credential_id, ${storesOfCredential} as store_ids,
      c.company_id = company.id and c.kind = sent.kind and ${isValidAt(now)} as is_open, require_restored()
    from unnest(${companyKeys}::text[], ${kinds}::text[], ${hashes}::bytea[])
      with ordinality as sent (company_key, kind, hash, n)
    left join company on company.name_key = sent.company_key
    left join credential c on c.hash = sent.hash
    order by sent.n`.execute(db);
  return rows.map(({ company_id: companyId, credential_id: credentialId, store_ids: storeIds, is_open }) =>
    is_open && companyId !== null && credentialId !== null
      ? { companyId, credentialId, storeIds }
      : undefined,
  );
}

interface OpenedRow {
  readonly company_id: number | null;
  readonly credential_id: number | null;
  readonly store_ids: readonly number[] | null;
  readonly is_open: boolean | null;
}

/** Whether the credential `c` is neither revoked nor expired. */
function isValidAt(now: Date): RawBuilder<boolean> {
  return sql<boolean>`(c.revoked_at is null and (c.expires_at is null or c.expires_at > ${now}))`;
}

/** The ids of the stores that the credential `c` is limited to; null without a limit. */
const storesOfCredential = sql`case when c.limited then array(
    select store_id from credential_store where credential_id = c.id order by store_id
  ) end`;

/** Records when a credential was last used; never sets an earlier time. */
export async function recordCredentialUse(db: Kysely<unknown>, id: number, at: Date): Promise<void> {
  await sql`
    update credential set last_used_at = ${at}
    where id = ${id} and (last_used_at is null or last_used_at < ${at})`.execute(db);
}
