import type { FastifyRequest } from 'fastify';

/**
 * What was asked for, as a label and for the log: the last segment of the route, so that an operation goes by
 * its name; `other` for what has no route. Never text that the caller chose.
 */
export function pageOf(request: FastifyRequest): string {
  if (request.is404) return 'other';
  const { url = '' } = request.routeOptions;
  const last = url.slice(url.lastIndexOf('/') + 1);
  return last.startsWith(':') ? 'service' : last || 'root';
}
