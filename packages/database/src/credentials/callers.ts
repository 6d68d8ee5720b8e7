import { type Kysely, sql } from 'kysely';
import { type Author, recordOnceAnHour } from '../audit/record-audit.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { StoreScope } from '../stores/stores.ts';
import type { CredentialKind } from './credentials.ts';

/** What a caller has sent: a credential, or the cookie of a session that was begun with one. */
export interface Sent {
  readonly by: 'credential' | 'session';
  /** SHA-256. */
  readonly hash: Buffer;
}

/** The authenticated user of a request, what they have sent, and the stores they see. Instants are epoch ms. */
export interface Caller extends Sent, StoreScope {
  readonly company: string;
  readonly companyKey: string;
  readonly credentialId: number;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Whether the caller may change settings. */
  readonly maySettings: boolean;
  /** Null for never. */
  readonly expiresAt: number | null;
  /** Null for a caller who sends the credential itself. */
  readonly session: { readonly beganAt: number; readonly expiresAt: number } | null;
}

/**
 * The callers who have sent these, and may use them at `now`, by what they have sent; one statement, however many there are.
 */
export async function callersOf<One extends Sent>(
  db: Kysely<DB>,
  sent: readonly One[],
  now: number,
): Promise<ReadonlyMap<One, Caller>> {
  const hashesOf = (by: Sent['by']) => sent.filter((one) => one.by === by).map(({ hash }) => hash);
  const { rows } = await sql<Caller>`
    select c.by, c.sent_hash as hash, c.company_id as "companyId", company.name as company,
      company.name_key as "companyKey", c.id as "credentialId", c.kind, c.label, c.may_configure as "maySettings",
      ${epochMs('c.expires_at')} as "expiresAt",
      case when c.by = 'session' then json_build_object(
        'beganAt', ${epochMs('c.session_began_at')}, 'expiresAt', ${epochMs('c.session_expires_at')}
      ) end as session,
      case when c.limited then array(
        select store_id from credential_store where credential_id = c.id order by store_id
      ) end as "storeIds"
    from (
      select credential.*, 'credential' as by, hash as sent_hash, null::timestamptz as session_began_at,
        null::timestamptz as session_expires_at
      from credential where hash = any(${hashesOf('credential')}::bytea[])
      union all
      select credential.*, 'session', session.hash, session.created_at, session.expires_at
      from session join credential on credential.id = session.credential_id
      where session.hash = any(${hashesOf('session')}::bytea[]) and session.expires_at > ${timestamp(now)}
    ) c
    join company on company.id = c.company_id
    where c.revoked_at is null and (c.expires_at is null or c.expires_at > ${timestamp(now)})`.execute(db);
  const callers = new Map(rows.map((caller) => [keyOf(caller), caller]));
  const found = new Map<One, Caller>();
  for (const one of sent) {
    const caller = callers.get(keyOf(one));
    if (caller) found.set(one, caller);
  }
  return found;
}

function keyOf({ by, hash }: Sent): string {
  return `${by} ${hash.toString('hex')}`;
}

/** Records when a credential was last used; never sets an earlier time. */
export async function recordCredentialUse(db: Kysely<DB>, id: number, at: number): Promise<void> {
  await sql`
    update credential set last_used_at = ${timestamp(at)}
    where id = ${id} and (last_used_at is null or last_used_at < ${timestamp(at)})`.execute(db);
}

interface NewSession {
  readonly hash: Buffer;
  readonly credentialId: number;
  readonly now: number;
  readonly expires: number;
  /** For the audit log: who signs in, and the company and kind of the credential. */
  readonly author: Author;
  readonly company: string;
  readonly kind: CredentialKind;
}

/** The most sessions of one credential; beyond it the oldest ones are deleted. */
const mostSessions = 1_000;

/** Begins a session, and deletes sessions that have expired or are too many. */
export async function beginSession(db: Kysely<DB>, session: NewSession): Promise<void> {
  const { hash, credentialId, now, expires, author, company, kind } = session;
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into session (hash, credential_id, created_at, expires_at)
      values (${hash}, ${credentialId}, ${timestamp(now)}, ${timestamp(expires)})`.execute(trx);
    await recordOnceAnHour(trx, author, {
      action: 'signed in',
      company,
      subject: credentialOf(kind, author),
    });
  });
  await sql`delete from session where expires_at <= ${timestamp(now)}`.execute(db);
  await sql`
    delete from session where hash in (
      select hash from session where credential_id = ${credentialId}
      order by created_at desc, hash offset ${mostSessions}
    )`.execute(db);
}

function credentialOf(kind: CredentialKind, { credential }: Author) {
  return { kind: 'credential', key: `${kind}/${credential}` } as const;
}

/** Extends a session to `expires`; never shortens it. */
export async function extendSession(db: Kysely<DB>, hash: Buffer, expires: number): Promise<void> {
  await sql`
    update session set expires_at = ${timestamp(expires)}
    where hash = ${hash} and expires_at < ${timestamp(expires)}`.execute(db);
}

/** Ends a session, if there is one; `origin` is the address from which it is ended. */
export async function endSession(db: Kysely<DB>, hash: Buffer, origin: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ label: string; kind: CredentialKind; company: string }>`
      with ended as (delete from session where hash = ${hash} returning credential_id)
      select label, kind, company.name as company
      from ended join credential on credential.id = credential_id
      join company on company.id = company_id`.execute(trx);
    const [ended] = rows;
    if (ended === undefined) return;
    const { label, kind, company } = ended;
    const author = { kind: 'staff', name: label, credential: label, origin } as const;
    await recordOnceAnHour(trx, author, {
      action: 'signed out',
      company,
      subject: credentialOf(kind, author),
    });
  });
}
