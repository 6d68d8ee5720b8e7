import { isDatabaseAway } from '@visitor-counter/database/away';
import type { FastifyReply } from 'fastify';
import { Problem } from '../problem.ts';
import * as problems from '../problems.ts';
import { answerHeaders } from './answer-headers.ts';

export const problemMediaType = 'application/problem+json; charset=utf-8';

/** The problem that an error is to the caller; `internal_error` for what nobody foresaw. */
export function problemOf(error: unknown, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseAway(error)) return problems.databaseUnavailable();
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problems.payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problems.unsupportedMediaType();
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return problems.malformedBody('The body is not as long as the request says.');
  }
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return problems.notFound();
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return problems.malformedRequest();
  return problems.internalError();
}

export function sendProblem(reply: FastifyReply, { record, headers }: Problem): FastifyReply {
  return reply
    .status(record.status)
    .headers({ ...answerHeaders, ...headers })
    .type(problemMediaType)
    .send(JSON.stringify(record));
}
