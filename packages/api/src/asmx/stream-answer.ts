import type { FastifyReply } from 'fastify';
import type { Format } from '../formats/formats.ts';
import { type Batch, writeRecords } from '../formats/write-records.ts';
import type { BodyTimeouts } from '../http/answer-body.ts';
import { AnswerBody, Patience, preferredEncoding } from '../http/answer-body.ts';
import type { Submission } from '../http/request-body.ts';
import type { Call } from './operations/operation.ts';

export interface StreamOptions {
  /** Receives the error of an answer that failed after it had begun. */
  readonly onBroken: (error: unknown) => void;
  readonly timeouts: BodyTimeouts;
  /** Whether requests wait for the slot of this answer. */
  readonly othersWait: () => boolean;
}

/**
 * Writes records to the caller as they are read: no faster than the caller reads them, and no further when
 * the caller has disconnected. A failure before the first record is thrown; a later one breaks the connection, so
 * that no caller mistakes half an answer for a whole one, and is passed to `onBroken`.
 */
export async function streamAnswer(
  reply: FastifyReply,
  format: Format,
  batches: AsyncIterable<Batch>,
  { onBroken, timeouts, othersWait }: StreamOptions,
): Promise<void> {
  const pieces = writeRecords(format, batches);
  const first = await pieces.next();
  const encoding = preferredEncoding(reply.request.headers);
  const patience = new Patience(timeouts);
  const limits = { patience, contested: timeouts.contested, othersWait };
  const body = new AnswerBody(reply, { mediaType: format.mediaType, encoding, ...limits });
  try {
    if (!first.done) await body.begin(first.value);
    for await (const piece of pieces) await body.write(piece);
    await body.end();
  } catch (error) {
    if (body.abandoned) return;
    onBroken(error);
    reply.request.raw.socket.resetAndDestroy();
  } finally {
    await pieces.return();
  }
}

/** The call of an operation by a request. */
export function callOf(reply: FastifyReply, submission: Submission): Call {
  const { headers, ip: address } = reply.request;
  return { submission, authorization: headers.authorization, address, signal: untilClosed(reply) };
}

/** Aborted when the answer has ended, also when it was complete. */
function untilClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  return closed.signal;
}
