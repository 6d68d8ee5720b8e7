import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { publicUrl } from '../http/public-url.ts';
import { openApiDocument } from './document.ts';
import type { OperationsOptions } from './operation-paths.ts';

const renderer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const script = 'text/javascript; charset=utf-8';

/** The page first, then what it loads; nothing of it comes from another host. */
const referenceFiles = [
  {
    path: '/reference',
    file: join(import.meta.dirname, 'reference-page.html'),
    mediaType: 'text/html; charset=utf-8',
  },
  {
    path: '/reference/start-reference.js',
    file: join(import.meta.dirname, 'start-reference.js'),
    mediaType: script,
  },
  ...[
    { name: 'swagger-ui-bundle.js', mediaType: script },
    { name: 'swagger-ui.css', mediaType: 'text/css; charset=utf-8' },
    { name: 'favicon-32x32.png', mediaType: 'image/png' },
  ].map(({ name, mediaType }) => ({ path: `/reference/${name}`, file: join(renderer, name), mediaType })),
];

const documentPath = '/openapi.json';

/** The page runs its own scripts and requests its own host; the renderer writes style attributes and inline icons. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document, with the address that its reader has requested, and a page that shows it. */
export function addReference(app: FastifyInstance, options: OperationsOptions): void {
  app.get(documentPath, (request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(openApiDocument(options, publicUrl(request)))),
  );
  for (const { path, file, mediaType } of referenceFiles) {
    app.get(path, (_request, reply) =>
      reply
        .headers({
          'cache-control': 'public, max-age=3600',
          'content-security-policy': policy,
        })
        .type(mediaType)
        .send(createReadStream(file)),
    );
  }
}
