import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import { beginSession, endSession, extendSession } from '@visitor-counter/database/credentials/sessions';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { authorOf, type Caller } from './callers.ts';

/** A session in use is extended once a day, not at every request (ms). */
const extendedEvery = 86_400_000;

/** Sessions are rows, so that every api process sees them and their end. */
export class Sessions {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Begins a session of the caller's credential, for a request from the address `origin`. Returns the value of its
   * cookie, which is stored nowhere.
   */
  async begin(caller: Caller, origin: string): Promise<string> {
    const { credentialId, company, kind, label } = caller;
    const value = generateSecret();
    const now = this.#now();
    await beginSession(this.#database.kysely, {
      ...{ hash: hashSecret(value), credentialId, company, kind },
      author: authorOf(caller, label, origin),
      ...{ now: new Date(now), expires: new Date(now + sessionLength) },
    });
    return value;
  }

  /** Extends a session that ends at `expiresAt` (epoch ms); false when it is too early for that. */
  async extend(hash: Buffer, expiresAt: number): Promise<boolean> {
    const expires = this.#now() + sessionLength;
    if (expires - expiresAt < extendedEvery) return false;
    await extendSession(this.#database.kysely, hash, new Date(expires));
    return true;
  }

  /** Ends a session, if there is one, for a request from the address `origin`. */
  async end(hash: Buffer, origin: string): Promise<void> {
    await endSession(this.#database.kysely, hash, origin);
  }
}

/** Extends a session that is in use, in the database and in the browser. */
export async function keepSession(
  sessions: Sessions,
  { proof }: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (proof.by !== 'session' || !(await sessions.extend(proof.hash, proof.expiresAt))) return;
  const value = sessionOf(request) ?? '';
  reply.header('set-cookie', sessionCookie(value, sessionLength, isSecure(request)));
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * A page of another site can make a browser send a form with the cookie of ours, where the browser ignores
 * SameSite; it cannot add a header without asking us first, and we never say yes. Throws `cross_site_request`.
 */
export function requireSameSite(request: FastifyRequest, caller?: Caller): void {
  if (readingMethods.has(request.method) || caller?.proof.by === 'credential') return;
  if (!request.headers['x-requested-with']) throw new Problem('cross_site_request');
}

/**
 * Whether the caller speaks TLS, with this service or with a proxy in front. A header from a proxy that is not trusted
 * suffices: a caller who forges it gets a cookie that their own browser does not send without TLS.
 */
export function isSecure(request: Pick<FastifyRequest, 'headers' | 'protocol'>): boolean {
  const forwarded = [request.headers['x-forwarded-proto']].flat().join(',');
  return request.protocol === 'https' || /^\s*https\b/i.test(forwarded);
}

/** How long a session lasts after its last use (ms). */
export const sessionLength = 30 * 86_400_000;

/** With TLS the browser binds the name to this host, for every path. */
const names = { secure: '__Host-visitor-counter', plain: 'visitor-counter' } as const;

/**
 * The value of the session's cookie; undefined without one. Over TLS only the name is accepted that neither another
 * host nor an unprotected request can set.
 */
export function sessionOf(request: Pick<FastifyRequest, 'headers' | 'protocol'>): string | undefined {
  const accepted = isSecure(request) ? [names.secure] : [names.secure, names.plain];
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  for (const name of accepted) {
    const value = pairs.find(([key]) => key === name)?.[1];
    if (value) return value;
  }
  return undefined;
}

/**
 * The `Set-Cookie` of a session: scripts cannot read it, no other site's request carries it, and with TLS no
 * request without TLS. `maxAge` (ms); 0 deletes it.
 */
export function sessionCookie(value: string, maxAge: number, secure: boolean): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${Math.floor(maxAge / 1_000)}`];
  if (secure) attributes.push('Secure');
  return [`${secure ? names.secure : names.plain}=${value}`, ...attributes].join('; ');
}
