import type { Author } from '@visitor-counter/database/audit/record-audit';
import { type Caller, callersOf, type Sent } from '@visitor-counter/database/credentials/callers';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import type { Database } from '@visitor-counter/database/sql/connect';
import { BatchedLookup } from '@visitor-counter/service/login-failures';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { keyOf } from './authorize.ts';
import type { CallerLimits } from './caller-limits.ts';
import { sessionOf } from './sessions.ts';

export type { Caller };

/** The caller as the author of a change, under the label of the credential, for a request from the address `origin`. */
export function authorOf({ label }: Pick<Caller, 'label'>, origin: string): Author {
  return { kind: 'staff', name: label, credential: label, origin };
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
  readonly #lookup = new BatchedLookup((sent: readonly Sent[]) => this.#find(sent));

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
    const found = await this.#find(callers);
    return new Set(
      callers.filter((caller) => String(found.get(caller)?.storeIds) === String(caller.storeIds)),
    );
  }

  async #admit(by: Sent['by'], value: string, address: string): Promise<Caller> {
    const sent = { by, hash: hashSecret(value) };
    return await this.#limits.admit(sent, address, this.#lookup, 'unauthenticated');
  }

  #find<One extends Sent>(sent: readonly One[]): Promise<ReadonlyMap<One, Caller>> {
    return callersOf(this.#database.kysely, sent, new Date(this.#now()));
  }
}
