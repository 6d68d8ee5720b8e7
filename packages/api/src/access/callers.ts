import type { Author } from '@visitor-counter/database/audit/record-audit';
import { type CallerRow, callersOf } from '@visitor-counter/database/credentials/callers';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { requireRestored } from '@visitor-counter/database/crossings/history';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Sight } from '@visitor-counter/database/stores/stores';
import { BatchedLookup } from '@visitor-counter/service/login-failures';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { keyOf } from './authorize.ts';
import type { CallerLimits } from './caller-limits.ts';
import { sessionOf } from './sessions.ts';

/** The authenticated user of a request, and the stores they see. */
export interface Caller extends Sight {
  readonly company: string;
  readonly credentialId: number;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Whether the caller may change settings. */
  readonly maySettings: boolean;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** How the caller authenticated. */
  readonly proof: Proof;
}

/** The caller as the author of a change, under the name that they give, for a request from the address `origin`. */
export function authorOf({ label }: Pick<Caller, 'label'>, name: string, origin: string): Author {
  return { kind: 'staff', name, credential: label, origin };
}

/** What a caller sends: SHA-256 of a credential, or of a session's cookie. */
interface Shown {
  readonly by: 'credential' | 'session';
  readonly hash: Buffer;
}

/** How a caller authenticated; a session ends at an instant (epoch ms). */
type Proof =
  | (Shown & { readonly by: 'credential' })
  | (Shown & { readonly by: 'session'; readonly expiresAt: number });

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
  readonly #lookup = new BatchedLookup((shown: readonly Shown[]) => this.#find(shown));

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
    const found = await this.#find(callers.map(({ proof }) => proof));
    return new Set(
      callers.filter(({ proof, storeIds }) => String(found.get(proof)?.storeIds) === String(storeIds)),
    );
  }

  async #admit(by: Shown['by'], value: string, address: string): Promise<Caller> {
    const shown = { by, hash: hashSecret(value) };
    return await this.#limits.admit(shown, address, this.#lookup, 'unauthenticated');
  }

  /** The callers with valid credentials or sessions, by what they have shown. */
  async #find(shown: readonly Shown[]): Promise<ReadonlyMap<Shown, Caller>> {
    const hashesOf = (by: Shown['by']) => {
      const found = shown.filter((one) => one.by === by).map(({ hash }) => hash);
      return [...new Map(found.map((hash) => [hash.toString('hex'), hash])).values()];
    };
    const proofs = { credentials: hashesOf('credential'), sessions: hashesOf('session') };
    const rows = await callersOf(this.#database.kysely, proofs, new Date(this.#now()));
    if (rows.length < proofs.credentials.length + proofs.sessions.length)
      await requireRestored(this.#database.kysely);
    const callers = new Map(rows.map((row) => [keyOfShown(row), callerOf(row)]));
    return new Map(
      shown.flatMap((one) => {
        const caller = callers.get(keyOfShown(one));
        return caller ? [[one, caller]] : [];
      }),
    );
  }
}

function keyOfShown({ by, hash }: Shown): string {
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
    proof: by === 'credential' ? { by, hash } : { by, hash, expiresAt: expires?.getTime() ?? 0 },
  };
}
