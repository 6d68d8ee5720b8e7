import type { FastifyRequest } from 'fastify';
import { crossSiteRequest } from '../problems/problems.ts';
import type { Caller } from './callers.ts';

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * A page of another site can make a browser send a form with the cookie of ours, where the browser ignores
 * SameSite; it cannot add a header without asking us first, and we never say yes. Throws `cross_site_request`.
 */
export function requireSameSite(request: FastifyRequest, caller?: Caller): void {
  if (readingMethods.has(request.method) || caller?.proof.by === 'credential') return;
  if (!request.headers['x-requested-with']) throw crossSiteRequest();
}
