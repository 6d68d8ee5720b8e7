import { isDatabaseUnavailable, isSchemaIncomplete } from '@visitor-counter/database/sql/unavailable';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemXml } from '../formats/xml.ts';
import { Problem } from '../problems/problem.ts';
import * as problems from '../problems/problems.ts';
import { malformedRequest } from '../problems/problems.ts';
import { preferredFormat } from './negotiate.ts';

/** On every answer: it depends on these request headers, and must not be cached. */
export const answerHeaders = { vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' } as const;

/** On every answer over TLS (RFC 6797): for a year browsers use nothing else for this host. */
export const overTls = { 'strict-transport-security': 'max-age=31536000' } as const;

export const problemMediaType = 'application/problem+json; charset=utf-8';
const problemXmlMediaType = 'application/problem+xml; charset=utf-8';

/** The SQLSTATE of a statement that exceeded its time limit. */
const statementCancelled = '57014';

/** The problem that an error is to the caller; `internal_error` for unexpected ones. */
export function problemOf(error: unknown, request: FastifyRequest, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problems.payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problems.unsupportedMediaType();
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return problems.notFound();
  if (code === statementCancelled) return problems.databaseTooSlow();
  /* A caller that disconnected in the middle of its request; its errors look like those of a lost database. */
  if (!request.raw.complete) return malformedRequest();
  return isDatabaseUnavailable(error) || isSchemaIncomplete(error)
    ? problems.databaseUnavailable()
    : problems.internalError();
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
