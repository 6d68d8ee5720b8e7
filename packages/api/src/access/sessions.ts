import {
  beginSession,
  endSession,
  extendSession,
  generateSecret,
  hashSecret,
} from '@visitor-counter/database/credentials/credentials';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import type { Resources } from '../resources.ts';
import { authorOf, type Caller } from './callers.ts';

/** A session in use is extended once a day, not at every request (ms). */
const extendedEvery = 86_400_000;

/**
 * Begins a session of the caller's credential, for a request from the address `origin`. Returns the value of its
 * cookie, which is stored nowhere.
 */
export async function newSession(
  { database, now }: Resources,
  caller: Caller,
  origin: string,
): Promise<string> {
  const value = generateSecret();
  const begin = now();
  await beginSession(database.kysely, authorOf(caller, origin), caller, {
    hash: hashSecret(value),
    now: begin,
    expires: begin + sessionLength.unused,
  });
  return value;
}

/** Ends the session of a request, if there is one. */
export async function closeSession({ database, callers }: Resources, request: FastifyRequest): Promise<void> {
  const value = sessionOf(request);
  if (value === undefined) return;
  const hash = hashSecret(value);
  if (await callers.bySession(hash)) await endSession(database.kysely, hash, request.ip);
}

/** Extends a session that is in use, in the database and in the browser, until its absolute end. */
export async function keepSession(
  { database, now }: Resources,
  { hash, session }: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (session === null) return;
  const expires = Math.min(now() + sessionLength.unused, session.beganAt + sessionLength.most);
  if (expires - session.expiresAt < extendedEvery) return;
  await extendSession(database.kysely, hash, expires);
  const value = sessionOf(request) ?? '';
  reply.header('set-cookie', sessionCookie(value, expires - now(), isSecure(request)));
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * If a browser ignores SameSite, a page of another site can make it send a form with our cookie. Such a page cannot add a
 * header without a preflight request, which this service never allows. Throws `cross_site_request`.
 */
export function requireSameSite(request: FastifyRequest, caller?: Caller): void {
  if (readingMethods.has(request.method) || caller?.by === 'credential') return;
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

/** How long a session lasts after its last use, and at most (ms). */
export const sessionLength = { unused: 30 * 86_400_000, most: 180 * 86_400_000 } as const;

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
