import type { FastifyReply } from 'fastify';
import type { Submission } from '../http/submission.ts';
import type { Call } from './operations/operation.ts';

/** What an operation is called with by a request that holds this. */
export function callOf(reply: FastifyReply, submission: Submission): Call {
  const { headers, ip: address } = reply.request;
  return { submission, authorization: headers.authorization, address, signal: untilGone(reply) };
}

/** Aborted when the answer is over: also when it was whole. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
