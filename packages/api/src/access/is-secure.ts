import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller speaks TLS, with this service or with a proxy in front. A header from a proxy that is not trusted
 * suffices: a caller who forges it gets a cookie that their own browser does not send without TLS.
 */
export function isSecure(request: Pick<FastifyRequest, 'headers' | 'protocol'>): boolean {
  const forwarded = [request.headers['x-forwarded-proto']].flat().join(',');
  return request.protocol === 'https' || /^\s*https\b/i.test(forwarded);
}
