import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import type { CredentialKind } from './credentials.ts';

interface NewSession {
  readonly hash: Buffer;
  readonly credentialId: number;
  readonly now: Date;
  readonly expires: Date;
  /** For the audit log: who signs in, and the company and kind of the credential. */
  readonly author: Author;
  readonly company: string;
  readonly kind: CredentialKind;
}

/** The most sessions of one credential; beyond it the oldest ones are deleted. */
const mostSessions = 1_000;

/** Begins a session, and deletes sessions that have expired or are too many. */
export async function beginSession(db: Kysely<unknown>, session: NewSession): Promise<void> {
  const { hash, credentialId, now, expires, author, company, kind } = session;
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into session (hash, credential_id, created_at, expires_at)
      values (${hash}, ${credentialId}, ${now}, ${expires})`.execute(trx);
    await recordAudit(trx, author, { action: 'signed in', company, subject: credentialOf(kind, author) });
  });
  await sql`delete from session where expires_at <= ${now}`.execute(db);
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
export async function extendSession(db: Kysely<unknown>, hash: Buffer, expires: Date): Promise<void> {
  await sql`
    update session set expires_at = ${expires} where hash = ${hash} and expires_at < ${expires}`.execute(db);
}

/** Ends a session, if there is one; `origin` is the address from which it is ended. */
export async function endSession(db: Kysely<unknown>, hash: Buffer, origin: string): Promise<void> {
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
    await recordAudit(trx, author, { action: 'signed out', company, subject: credentialOf(kind, author) });
  });
}
