import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Format } from '../formats/formats.ts';
import { writeRecords } from '../formats/write-records.ts';
import type { XmlNames } from '../formats/xml.ts';
import type { Timeouts } from '../http/answer-body.ts';
import { AnswerBody, untilClosed } from '../http/answer-body.ts';
import type { Availability } from '../http/availability.ts';
import type { Submission } from '../http/request-body.ts';
import type { Problem } from '../problems/problems.ts';
import type { Operation, Resources } from './operations/operation.ts';

/** What the routes of the operations use. */
export interface OperationRoutes {
  readonly pathId: string;
  readonly resources: Resources;
  readonly availability: Availability;
  readonly xml: XmlNames;
  readonly timeouts: Timeouts;
  /** Counts and logs an error, and returns the problem to answer with. */
  readonly problemFor: (error: unknown, request: FastifyRequest) => Problem;
  /** Receives the error of an answer that failed after it had begun. */
  readonly onBroken: (error: unknown) => void;
}

/**
 * Answers a call: writes records to the caller as they are read, no faster than the caller reads them, and no further
 * when the caller has disconnected. A failure before the first record is thrown; a later one breaks the connection, so
 * that no caller mistakes half an answer for a whole one, and is passed to `onBroken`.
 */
export async function streamAnswer(
  reply: FastifyReply,
  operation: Operation,
  submission: Submission,
  format: Format,
  { onBroken, timeouts, resources }: Pick<OperationRoutes, 'onBroken' | 'timeouts' | 'resources'>,
): Promise<void> {
  const { headers, ip: address } = reply.request;
  const call = { submission, authorization: headers.authorization, address, signal: untilClosed(reply) };
  const pieces = writeRecords(format, operation.answer(resources, call));
  const first = await pieces.next();
  const isPlaceAwaited = () => resources.exports.load.waiting > 0;
  const body = new AnswerBody(reply, format.mediaType, timeouts, isPlaceAwaited);
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
