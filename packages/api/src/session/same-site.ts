import type { FastifyRequest } from 'fastify';
import type { Caller } from '../v1/caller.ts';
import { crossSiteRequest } from '../v1/v1-problems.ts';

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * A page of another site can make a browser send a form with the cookie of ours, where the browser ignores
 * SameSite; it cannot add a header without asking us first, and we never say yes. Throws `cross_site_request`.
 */
export function requireSameSite(request: FastifyRequest, caller?: Caller): void {
  if (readingMethods.has(request.method) || caller?.proof.by === 'credential') return;
  if (!request.headers['x-requested-with']) throw crossSiteRequest();
}
