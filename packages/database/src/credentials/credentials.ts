import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import { type Author, recordAudit } from '../audit/audit-log.ts';
import { type Db, instant, timestamp } from '../sql/query-builder.ts';
import type { StoreScope } from '../stores/store-facts.ts';
import { sidsIn } from '../stores/stores.ts';

/** What a credential is for: the four count operations, GetLifeSignalInactive, the page with its corrections, or tills. */
export const credentialKinds = ['counts', 'life-signal', 'staff', 'sales'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * All credentials, or those of one company, by company, kind and label; never their values. `stores` are the sids of the
 * stores that one is limited to (null without a limit), `settings` whether staff may change settings with it.
 */
export async function listCredentials(db: Db, company?: string) {
  return await db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'companyId')
    .select(['company.name as company', 'kind', 'label', 'createdAt', 'expiresAt', 'revokedAt'])
    .select(['lastUsedAt', 'mayConfigure as settings', sidsIn('credential.storeIds').as('stores')])
    .$if(company !== undefined, (all) => all.where('company.nameKey', '=', nameKey(company ?? '')))
    .orderBy('company.nameKey')
    .orderBy('kind')
    .orderBy('label')
    .$narrowType<{ kind: CredentialKind }>()
    .execute();
}

/**
 * The stored hash of a secret of a device or credential. Secrets are random, so a single SHA-256 does not reveal
 * them.
 */
export function hashSecret(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A new secret of 192 random bits, in characters that need no quoting in URLs, forms, YAML or shells. */
export function generateSecret(): string {
  return randomBytes(24).toString('base64url').replace(/^-/, 'A');
}

/** Compares in constant time. */
export function secretMatches(secret: string | Uint8Array, hash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

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
  db: Db,
  sent: readonly One[],
  now: number,
): Promise<ReadonlyMap<One, Caller>> {
  const hashesOf = (by: Sent['by']) => sent.filter((one) => one.by === by).map(({ hash }) => hash);
  const { rows } = await sql<Caller>`
    select c.by, c.sent_hash as hash, c.company_id, company.name as company, company.name_key as company_key,
      c.id as credential_id, c.kind, c.label, c.may_configure as may_settings, c.expires_at, c.store_ids, c.session
    from (
      select credential.*, 'credential' as by, hash as sent_hash, null as session
      from credential where hash = any(${hashesOf('credential')})
      union all
      select credential.*, 'session', session.hash,
        json_build_object('beganAt', epoch_ms(session.created_at), 'expiresAt', epoch_ms(session.expires_at))
      from session join credential on credential.id = session.credential_id
      where session.hash = any(${hashesOf('session')}) and session.expires_at > ${timestamp(now)}
    ) c
    join company on company.id = c.company_id
    where c.revoked_at is null and (c.expires_at is null or c.expires_at > ${timestamp(now)})`.execute(db);
  const callers = new Map(rows.map((row) => [keyOf(row), row]));
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
export async function recordCredentialUse(db: Db, id: number, at: number): Promise<void> {
  await db
    .updateTable('credential')
    .set({ lastUsedAt: instant(at) })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', instant(at))]))
    .execute();
}

/**
 * Begins a session of a caller's credential at `now`, until `expires`; `hash` is the SHA-256 of its cookie. Deletes sessions
 * that have expired.
 */
export async function beginSession(
  db: Db,
  author: Author,
  { credentialId, company, kind }: Pick<Caller, 'credentialId' | 'company' | 'kind'>,
  { hash, now, expires }: { readonly hash: Buffer; readonly now: number; readonly expires: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('session')
      .values({ hash, credentialId, createdAt: instant(now), expiresAt: instant(expires) })
      .execute();
    await recordAudit(trx, author, { action: 'signed in', company, subject: subjectOf(kind, author) });
  });
  await db.deleteFrom('session').where('expiresAt', '<=', instant(now)).execute();
}

function subjectOf(kind: string, { credential }: Author) {
  return { kind: 'credential', key: `${kind}/${credential}` } as const;
}

/** Extends a session to `expires`; never shortens it. */
export async function extendSession(db: Db, hash: Buffer, expires: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ expiresAt: instant(expires) })
    .where('hash', '=', hash)
    .where('expiresAt', '<', instant(expires))
    .execute();
}

/** Ends a session, if there is one; `origin` is the address from which it is ended. */
export async function endSession(db: Db, hash: Buffer, origin: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const ended = await trx
      .deleteFrom('session')
      .using(['credential', 'company'])
      .where('session.hash', '=', hash)
      .whereRef('credential.id', '=', 'session.credentialId')
      .whereRef('company.id', '=', 'credential.companyId')
      .returning(['credential.label', 'credential.kind', 'company.name as company'])
      .executeTakeFirst();
    if (ended === undefined) return;
    const { label, kind, company } = ended;
    const author = { kind: 'staff', name: label, credential: label, origin } as const;
    await recordAudit(trx, author, { action: 'signed out', company, subject: subjectOf(kind, author) });
  });
}
