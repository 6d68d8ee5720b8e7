import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { publicUrl } from '../http/public-url.ts';
import { type OpenApiPart, openApiDocument } from './document.ts';
import { referenceFiles } from './reference-files.ts';

export const documentPath = '/openapi.json';

/** All paths that are answered here, by GET and HEAD. */
export const referencePaths: readonly string[] = [documentPath, ...referenceFiles.map(({ path }) => path)];

/** The page runs its own scripts and asks its own host; the renderer writes style attributes and inline icons. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document, with the address that its reader came by, and a page to read it on. */
export function addReference(app: FastifyInstance, parts: readonly OpenApiPart[]): void {
  app.get(documentPath, (request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(openApiDocument(parts, publicUrl(request)))),
  );
  for (const { path, file, mediaType } of referenceFiles) {
    app.get(path, (_request, reply) =>
      reply
        .headers({
          'cache-control': 'public, max-age=3600',
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
        })
        .type(mediaType)
        .send(createReadStream(file)),
    );
  }
}
