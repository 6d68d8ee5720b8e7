import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Files of the page itself, and requests to this server; nothing inline, nothing from elsewhere, and no other
 * site around it.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** The names of these files contain a hash of their content, so they never change. */
const isHashed = (path: string) => path.includes('/assets/');

/**
 * Serves the built page at `/` out of a folder, compressed beforehand. False, and nothing is served, where the
 * folder has none: the page was not built.
 */
export async function serveDashboard(app: FastifyInstance, folder: string): Promise<boolean> {
  if (!existsSync(join(folder, 'index.html'))) return false;
  await app.register(fastifyStatic, {
    root: folder,
    /* One route for each file, so that every other path still gets 404. */
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      for (const [name, value] of Object.entries(pageHeaders)) reply.header(name, value);
      reply.header('cache-control', isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('vary', 'Accept-Encoding');
    },
  });
  return true;
}
