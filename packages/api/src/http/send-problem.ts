import { isCancelled, isDatabaseUnavailable, isLockBusy } from '@visitor-counter/database/sql/unavailable';
import { codeOf } from '@visitor-counter/service/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredFormat } from '../formats/formats.ts';
import { problemXml } from '../formats/xml.ts';
import * as problems from '../problems/problems.ts';
import { Problem } from '../problems/problems.ts';

/** On every answer: it depends on these request headers, must not be cached, and is of no other type than it says. */
export const answerHeaders = {
  vary: 'Accept, Accept-Encoding',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** On every answer over TLS (RFC 6797): for a year browsers use nothing else for this host. */
export const overTls = { 'strict-transport-security': 'max-age=31536000' } as const;

const problemMediaType = 'application/problem+json; charset=utf-8';
const problemXmlMediaType = 'application/problem+xml; charset=utf-8';

/** The problem that reports an error to the caller; `internal_error` for an unexpected one. */
export function problemOf(error: unknown, request: FastifyRequest, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problems.payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problems.unsupportedMediaType();
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return new Problem('not_found');
  if (isCancelled(error)) return new Problem('database_too_slow');
  /* A caller that disconnected in the middle of its request; its errors look like those of a lost database. */
  if (!request.raw.complete) return new Problem('malformed_request');
  return isDatabaseUnavailable(error) || isLockBusy(error)
    ? new Problem('database_unavailable')
    : new Problem('internal_error');
}

/** Answers with a problem: XML if the caller prefers it, otherwise JSON. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { record, headers } = problem;
  const asXml = preferredFormat(request.headers) === 'xml';
  return reply
    .status(record.status)
    .headers({ ...answerHeaders, ...headers })
    .type(asXml ? problemXmlMediaType : problemMediaType)
    .send(asXml ? problemXml(record) : JSON.stringify(record));
}
