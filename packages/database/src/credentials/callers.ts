import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';
import type { CredentialKind } from '../tables/schema.ts';
import { isValidAt, storesOfCredential } from './credential.ts';

/** A caller with a valid credential. */
export interface CallerRow {
  /** SHA-256 of the credential or cookie that the caller sent. */
  readonly hash: Buffer;
  readonly company_id: number;
  readonly company_name: string;
  readonly credential_id: number;
  readonly kind: CredentialKind;
  /** The stores that it is limited to, by id; null without a limit. */
  readonly store_ids: readonly number[] | null;
  readonly label: string;
  readonly expires_at: Date | null;
  /** When the session ends; null for a caller who sends the credential itself. */
  readonly session_expires_at: Date | null;
}

/**
 * The callers with these credentials, by SHA-256; credentials that are invalid at `now` are left out. Throws like
 * `requireRestored` if there are any callers.
 */
export async function callersOfCredentials(
  db: Reader,
  hashes: readonly Buffer[],
  now: Date,
): Promise<CallerRow[]> {
  const credentials = sql`select credential.*, credential.hash as shown, null::timestamptz as session_expires_at
    from credential where hash = any(${hashes}::bytea[])`;
  const { rows } = await validAt(credentials, now).execute(db);
  return rows;
}

/** The callers with these sessions, by the SHA-256 of their cookies; ended sessions are left out. */
export async function callersOfSessions(
  db: Reader,
  hashes: readonly Buffer[],
  now: Date,
): Promise<CallerRow[]> {
  const credentials = sql`
    select credential.*, session.hash as shown, session.expires_at as session_expires_at
    from session join credential on credential.id = session.credential_id
    where session.hash = any(${hashes}::bytea[]) and session.expires_at > ${now}`;
  const { rows } = await validAt(credentials, now).execute(db);
  return rows;
}

/** SHA-256 of credentials and of sessions' cookies. */
export interface Proofs {
  readonly credentials: readonly Buffer[];
  readonly sessions: readonly Buffer[];
}

export interface ValidProof extends Pick<CallerRow, 'store_ids'> {
  readonly by: 'credential' | 'session';
  readonly hash: Buffer;
}

/**
 * The proofs that are valid at `now`, and the stores that they are limited to; one statement, however many there are.
 */
export async function validProofs(
  db: Reader,
  { credentials, sessions }: Proofs,
  now: Date,
): Promise<ValidProof[]> {
  const { rows } = await sql<ValidProof>`
    select c.by, c.shown as hash, ${storesOfCredential('c')} as store_ids
    from (
      select credential.*, 'credential' as by, hash as shown from credential
      where hash = any(${credentials}::bytea[])
      union all
      select credential.*, 'session', session.hash
      from session join credential on credential.id = session.credential_id
      where session.hash = any(${sessions}::bytea[]) and session.expires_at > ${now}
    ) c
    where ${isValidAt(now)}`.execute(db);
  return rows;
}

function validAt(credentials: RawBuilder<unknown>, now: Date): RawBuilder<CallerRow> {
  return sql<CallerRow>`
    select c.shown as hash, c.company_id, company.name as company_name, c.id as credential_id, c.kind, c.label, c.expires_at,
      c.session_expires_at, ${storesOfCredential('c')} as store_ids, require_restored()
    from (${credentials}) c join company on company.id = c.company_id
    where ${isValidAt(now)}`;
}
