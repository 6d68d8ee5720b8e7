import { sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';

export interface NewSession {
  readonly hash: Buffer;
  readonly credentialId: number;
  readonly now: Date;
  readonly expires: Date;
}

/** The most sessions of one credential; beyond it the oldest ones are deleted. */
const mostSessions = 1_000;

/** Begins a session, and deletes sessions that have expired or are too many. */
export async function beginSession(db: Reader, session: NewSession): Promise<void> {
  const { hash, credentialId, now, expires } = session;
  await db
    .insertInto('session')
    .values({ hash, credential_id: credentialId, created_at: now, expires_at: expires })
    .execute();
  await sql`delete from session where expires_at <= ${now}`.execute(db);
  await sql`
    delete from session where hash in (
      select hash from session where credential_id = ${credentialId}
      order by created_at desc, hash offset ${mostSessions}
    )`.execute(db);
}

/** Extends a session to `expires`; never shortens it. */
export async function extendSession(db: Reader, hash: Buffer, expires: Date): Promise<void> {
  await db
    .updateTable('session')
    .set({ expires_at: expires })
    .where('hash', '=', hash)
    .where('expires_at', '<', expires)
    .execute();
}

export async function endSession(db: Reader, hash: Buffer): Promise<void> {
  await db.deleteFrom('session').where('hash', '=', hash).execute();
}
