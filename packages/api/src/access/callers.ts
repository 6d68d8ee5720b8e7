import type { Author } from '@visitor-counter/database/audit/record-audit';
import { type CallerRow, callersOf } from '@visitor-counter/database/credentials/callers';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { requireRestored } from '@visitor-counter/database/crossings/history';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { StoreScope } from '@visitor-counter/database/stores/stores';
import { BatchedLookup } from '@visitor-counter/service/login-failures';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { keyOf } from './authorize.ts';
import type { CallerLimits } from './caller-limits.ts';
import { sessionOf } from './sessions.ts';

/** The authenticated user of a request, and the stores they see. */
export interface Caller extends StoreScope {
  readonly company: string;
  readonly credentialId: number;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Whether the caller may change settings. */
  readonly maySettings: boolean;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  readonly sent: SentCredential;
  /** Epoch ms; null for a caller who sends the credential itself. */
  readonly sessionExpiresAt: number | null;
}

/** The caller as the author of a change, under the name that they give, for a request from the address `origin`. */
export function authorOf({ label }: Pick<Caller, 'label'>, name: string, origin: string): Author {
  return { kind: 'staff', name, credential: label, origin };
}

/** What a caller has sent: a credential, or the cookie of a session that was begun with one. */
interface SentCredential {
  readonly by: 'credential' | 'session';
  /** SHA-256. */
  readonly hash: Buffer;
}

interface CallersOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly limits: CallerLimits;
}

/** Checks the database at every request, so that a revocation works from the next one on. */
export class Callers {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #limits: CallerLimits;
  readonly #lookup = new BatchedLookup((sent: readonly SentCredential[]) => this.#find(sent));

  constructor({ database, now, limits }: CallersOptions) {
    this.#database = database;
    this.#now = now;
    this.#limits = limits;
  }

  /**
   * By the `Authorization` header where there is one, else by the session's cookie. Throws `unauthenticated`, and
   * what the limits of callers throw.
   */
  async identify(request: FastifyRequest): Promise<Caller> {
    const { authorization } = request.headers;
    const by = authorization === undefined ? 'session' : 'credential';
    const value = authorization === undefined ? sessionOf(request) : keyOf(authorization);
    if (!value) throw new Problem('unauthenticated');
    return await this.#admit(by, value, request.ip);
  }

  /** The caller whose credential this is. Throws like `identify`. */
  signIn(token: string, address: string): Promise<Caller> {
    return this.#admit('credential', token, address);
  }

  /** The caller of a session, by the SHA-256 of its cookie. */
  bySession(hash: Buffer): Promise<Caller | undefined> {
    return this.#lookup.findAlone({ by: 'session', hash });
  }

  /** The callers whose access is unchanged; with one statement. */
  async stillValid(callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const found = await this.#find(callers.map(({ sent }) => sent));
    return new Set(
      callers.filter(({ sent, storeIds }) => String(found.get(sent)?.storeIds) === String(storeIds)),
    );
  }

  async #admit(by: SentCredential['by'], value: string, address: string): Promise<Caller> {
    const sent = { by, hash: hashSecret(value) };
    return await this.#limits.admit(sent, address, this.#lookup, 'unauthenticated');
  }

  /** The callers with valid credentials or sessions, by what they have sent. */
  async #find(sent: readonly SentCredential[]): Promise<ReadonlyMap<SentCredential, Caller>> {
    const hashesOf = (by: SentCredential['by']) => {
      const found = sent.filter((one) => one.by === by).map(({ hash }) => hash);
      return [...new Map(found.map((hash) => [hash.toString('hex'), hash])).values()];
    };
    const hashes = { credentials: hashesOf('credential'), sessions: hashesOf('session') };
    const rows = await callersOf(this.#database.kysely, hashes, new Date(this.#now()));
    if (rows.length < hashes.credentials.length + hashes.sessions.length)
      await requireRestored(this.#database.kysely);
    const callers = new Map(rows.map((row) => [keyOfSent(row), callerOf(row)]));
    return new Map(
      sent.flatMap((one) => {
        const caller = callers.get(keyOfSent(one));
        return caller ? [[one, caller]] : [];
      }),
    );
  }
}

function keyOfSent({ by, hash }: SentCredential): string {
  return `${by} ${hash.toString('hex')}`;
}

function callerOf({ by, hash, session_expires_at: expires, ...row }: CallerRow): Caller {
  return {
    companyId: row.company_id,
    company: row.company_name,
    storeIds: row.store_ids,
    credentialId: row.credential_id,
    kind: row.kind,
    label: row.label,
    maySettings: row.may_configure,
    expiresAt: row.expires_at?.getTime() ?? null,
    sent: { by, hash },
    sessionExpiresAt: expires?.getTime() ?? null,
  };
}
