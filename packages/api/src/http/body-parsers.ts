import type { IncomingHttpHeaders } from 'node:http';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedContentEncoding, unsupportedMediaType } from '../problems/problems.ts';
import { formSubmission, jsonSubmission, type Submission } from './submission.ts';

/** A body as the parsers leave it. */
export interface ParsedBody {
  readonly submission: Submission;
}

/** Forms and JSON; every other content type is `unsupported_media_type`. */
export async function addBodyParsers(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: (text) => ({ submission: formSubmission(text) }) });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);
}

async function readJson(_request: FastifyRequest, body: Buffer): Promise<ParsedBody> {
  return { submission: jsonSubmission(body) };
}

/**
 * Checks the header fields of a body before it is read. Throws `unsupported_content_encoding`, and
 * `unsupported_media_type` for a charset other than UTF-8 and its subset ASCII.
 */
export function requirePlainUtf8(headers: IncomingHttpHeaders): void {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) throw unsupportedContentEncoding();
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) throw unsupportedMediaType();
}
