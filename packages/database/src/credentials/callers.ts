import { type Kysely, sql } from 'kysely';
import { requireRestored } from '../crossings/history.ts';
import { epochMs } from '../sql/instant.ts';
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
  readonly sessionExpiresAt: number | null;
}

/**
 * The callers who have sent these, and may use them at `now`, by what they have sent; one statement, however many there are.
 * Throws like `requireRestored`.
 */
export async function callersOf<One extends Sent>(
  db: Kysely<unknown>,
  sent: readonly One[],
  now: Date,
): Promise<ReadonlyMap<One, Caller>> {
  const hashesOf = (by: Sent['by']) => sent.filter((one) => one.by === by).map(({ hash }) => hash);
  const { rows } = await sql<Caller>`
    select c.by, c.sent_hash as hash, c.company_id as "companyId", company.name as company,
      company.name_key as "companyKey", c.id as "credentialId", c.kind, c.label, c.may_configure as "maySettings",
      ${epochMs('c.expires_at')} as "expiresAt", ${epochMs('c.session_expires_at')} as "sessionExpiresAt",
      case when c.limited then array(
        select store_id from credential_store where credential_id = c.id order by store_id
      ) end as "storeIds", require_restored()
    from (
      select credential.*, 'credential' as by, hash as sent_hash, null::timestamptz as session_expires_at
      from credential where hash = any(${hashesOf('credential')}::bytea[])
      union all
      select credential.*, 'session', session.hash, session.expires_at
      from session join credential on credential.id = session.credential_id
      where session.hash = any(${hashesOf('session')}::bytea[]) and session.expires_at > ${now}
    ) c
    join company on company.id = c.company_id
    where c.revoked_at is null and (c.expires_at is null or c.expires_at > ${now})`.execute(db);
  const callers = new Map(rows.map((caller) => [keyOf(caller), caller]));
  const found = new Map<One, Caller>();
  for (const one of sent) {
    const caller = callers.get(keyOf(one));
    if (caller) found.set(one, caller);
  }
  if (found.size < sent.length) await requireRestored(db);
  return found;
}

function keyOf({ by, hash }: Sent): string {
  return `${by} ${hash.toString('hex')}`;
}

/** Records when a credential was last used; never sets an earlier time. */
export async function recordCredentialUse(db: Kysely<unknown>, id: number, at: Date): Promise<void> {
  await sql`
    update credential set last_used_at = ${at}
    where id = ${id} and (last_used_at is null or last_used_at < ${at})`.execute(db);
}
