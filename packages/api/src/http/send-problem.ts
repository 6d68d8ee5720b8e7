import { isDatabaseAway } from '@visitor-counter/database/away';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import * as problems from '../problems.ts';
import { answerHeaders } from './answer-headers.ts';

export const problemMediaType = 'application/problem+json; charset=utf-8';

/** The problem that an error is to the caller; `internal_error` for what nobody foresaw. */
export function problemOf(error: unknown, request: FastifyRequest, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problems.payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problems.unsupportedMediaType();
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return problems.notFound();
  /* A caller that is gone in the middle of its request; its errors look like those of a lost database. */
  if (!request.raw.complete) return problems.malformedRequest();
  return isDatabaseAway(error) ? problems.databaseUnavailable() : problems.internalError();
}

export function sendProblem(reply: FastifyReply, { record, headers }: Problem): FastifyReply {
  return reply
    .status(record.status)
    .headers({ ...answerHeaders, ...headers })
    .type(problemMediaType)
    .send(JSON.stringify(record));
}
