import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller speaks TLS, with us or with a proxy in front. A header that nobody vouches for will do: who
 * forges it gets a cookie that their own browser does not send without TLS.
 */
export function isSecure(request: FastifyRequest): boolean {
  const forwarded = [request.headers['x-forwarded-proto']].flat().join(',');
  return request.protocol === 'https' || /^\s*https\b/i.test(forwarded);
}
