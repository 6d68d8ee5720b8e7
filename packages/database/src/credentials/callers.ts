import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';
import type { Sight } from '../stores/stores.ts';
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

/** SHA-256 of credentials and of sessions' cookies. */
interface Proofs {
  readonly credentials: readonly Buffer[];
  readonly sessions: readonly Buffer[];
}

/**
 * The callers with these proofs that are valid at `now`; one statement, however many there are. Throws like
 * `requireRestored` if there are any callers.
 */
export async function callersOf(
  db: Reader,
  { credentials, sessions }: Proofs,
  now: Date,
): Promise<CallerRow[]> {
  const { rows } = await sql<CallerRow>`
    select c.by, c.shown as hash, c.company_id, company.name as company_name, c.id as credential_id, c.kind, c.label,
      c.may_configure, c.expires_at, c.session_expires_at, ${storesOfCredential} as store_ids, require_restored()
    from (
      select credential.*, 'credential' as by, hash as shown, null::timestamptz as session_expires_at
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

/** A company, by the key of its name, and a credential, by its kind and SHA-256. */
export interface CredentialClaim {
  readonly companyKey: string;
  readonly kind: CredentialKind;
  readonly hash: Buffer;
}

/** What a credential gives access to: all stores of a company, or some of them. */
export interface OpenedCompany extends Sight {
  readonly credentialId: number;
}

/**
 * What each claim gives access to at `now`, in the order of the claims; undefined for an invalid claim, whatever the
 * reason. One statement, and for each claim one row and the same two index lookups whether anything exists or not, so
 * that neither the answer nor its time reveals what was wrong. Throws like `requireRestored`.
 */
export async function openedCompanies(
  db: Reader,
  claims: readonly CredentialClaim[],
  now: Date,
): Promise<(OpenedCompany | undefined)[]> {
  const companyKeys = claims.map(({ companyKey }) => companyKey);
  const kinds = claims.map(({ kind }) => kind);
  const hashes = claims.map(({ hash }) => hash);
  const { rows } = await sql<ClaimRow>`
    select company.id as company_id, c.id as credential_id, ${storesOfCredential} as store_ids,
      c.company_id = company.id and c.kind = claim.kind and ${isValidAt(now)} as is_open, require_restored()
    from unnest(${companyKeys}::text[], ${kinds}::text[], ${hashes}::bytea[])
      with ordinality as claim (company_key, kind, hash, n)
    left join company on company.name_key = claim.company_key
    left join credential c on c.hash = claim.hash
    order by claim.n`.execute(db);
  return rows.map(({ company_id: companyId, credential_id: credentialId, store_ids: storeIds, is_open }) =>
    is_open && companyId !== null && credentialId !== null
      ? { companyId, credentialId, storeIds }
      : undefined,
  );
}

interface ClaimRow {
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
export async function recordCredentialUse(db: Reader, id: number, at: Date): Promise<void> {
  await sql`
    update credential set last_used_at = ${at}
    where id = ${id} and (last_used_at is null or last_used_at < ${at})`.execute(db);
}
