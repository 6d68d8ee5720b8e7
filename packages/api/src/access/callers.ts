import type { Author } from '@visitor-counter/database/audit/audit-log';
import {
  type Caller,
  type CredentialKind,
  callersOf,
  hashSecret,
  type Sent,
} from '@visitor-counter/database/credentials/credentials';
import type { Database } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import type { Admit } from './caller-limits.ts';
import { sessionOf } from './sessions.ts';

export type { Caller };

/** The caller as the author of a change, under the label of the credential, for a request from the address `origin`. */
export function authorOf({ label }: Pick<Caller, 'label'>, origin: string): Author {
  return { kind: 'staff', name: label, credential: label, origin };
}

/** The credential of a call of an operation. */
interface CallCredential {
  readonly kind: CredentialKind;
  /** As the caller has sent it. */
  readonly credential: string;
  readonly companyName: string;
  /** The IP address of the caller. */
  readonly address: string;
}

interface CallersOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly admit: Admit;
}

/** Lookups at a time. What arrives meanwhile is looked up together: a flood of guesses takes no more connections. */
const mostLookups = 4;

/** Identifies callers, in the database at every request, so that a revocation works from the next one on. */
export class Callers {
  readonly #options: CallersOptions;
  /** The lookups that run, the one that follows them, and what it will look up. */
  readonly #running = new Set<Promise<unknown>>();
  #next: Promise<ReadonlyMap<Sent, Caller>> | undefined;
  #waiting: Sent[] = [];
  readonly #identified = new WeakMap<FastifyRequest, Promise<Caller>>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * Returns the caller whose credential a call has. The company that the caller names is only compared with that of the
   * credential, so neither the answer nor its time reveals whether it exists. Throws `invalid_credential`, and what the limits
   * of callers throw.
   */
  async authorize({ kind, credential, companyName, address }: CallCredential): Promise<Caller> {
    const found = await this.#findOne('credential', hashSecret(credential));
    const isRight = found?.companyKey === nameKey(companyName) && found.kind === kind;
    return this.#options.admit(isRight ? found : undefined, address, 'invalid_credential');
  }

  /**
   * The caller of a request to /v1: by the `Authorization` header if there is one, else by the session's cookie. Throws
   * `unauthenticated`, and what the limits of callers throw.
   */
  identify(request: FastifyRequest): Promise<Caller> {
    const caller = this.#identified.get(request) ?? this.#identify(request);
    this.#identified.set(request, caller);
    return caller;
  }

  async #identify(request: FastifyRequest): Promise<Caller> {
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
    return this.#findOne('session', hash);
  }

  /** The callers whose access is unchanged; with one statement. */
  async stillValid(callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const found = await this.#find(callers);
    return new Set(callers.filter((one) => String(found.get(one)?.storeIds) === String(one.storeIds)));
  }

  async #admit(by: Sent['by'], value: string, address: string): Promise<Caller> {
    const found = await this.#findOne(by, hashSecret(value));
    return this.#options.admit(found, address, 'unauthenticated');
  }

  async #findOne(by: Sent['by'], hash: Buffer): Promise<Caller | undefined> {
    const sent = { by, hash };
    this.#waiting.push(sent);
    this.#next ??= this.#lookUp();
    return (await this.#next).get(sent);
  }

  /** Looks up what waits together, as soon as it may. */
  async #lookUp(): Promise<ReadonlyMap<Sent, Caller>> {
    await (this.#running.size < mostLookups ? undefined : Promise.race(this.#running));
    const found = this.#find(this.#waiting);
    this.#waiting = [];
    this.#next = undefined;
    const ended: Promise<unknown> = found.catch(() => {}).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return await found;
  }

  #find(sent: readonly Sent[]): Promise<ReadonlyMap<Sent, Caller>> {
    const { database, now } = this.#options;
    return callersOf(database.kysely, sent, now());
  }
}

/** The key in an `Authorization` header: `<key>`, or `Bearer <key>` with the scheme in any case; empty without one. */
export function keyOf(authorization: string): string {
  return authorization.trim().replace(/^bearer(\s+|$)/i, '');
}
