import type { FastifyRequest } from 'fastify';

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
