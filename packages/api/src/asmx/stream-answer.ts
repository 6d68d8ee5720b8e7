import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Format } from '../formats/formats.ts';
import { writeRecords } from '../formats/write-records.ts';
import type { XmlNames } from '../formats/xml.ts';
import { sendPieces, type Timeouts, untilClosed } from '../http/answer-body.ts';
import type { Availability } from '../http/availability.ts';
import type { Submission } from '../http/request-body.ts';
import type { Problem } from '../problems/problems.ts';
import type { Resources } from '../resources.ts';
import type { Operation } from './operations/operation.ts';
import { readParameters } from './operations/parameters.ts';

/** What the routes of the operations use. */
export interface OperationRoutes {
  readonly pathId: string;
  readonly resources: Resources;
  readonly availability: Availability;
  readonly xml: XmlNames;
  readonly timeouts: Timeouts;
  /** Counts and logs an error, and returns the problem to answer with. */
  readonly loggedProblem: (error: unknown, request: FastifyRequest) => Problem;
  /** Receives the error of an answer that failed after it had begun. */
  readonly onBroken: (error: unknown) => void;
}

/** Answers a call: writes records to the caller as they are read. A failure before the first record is thrown. */
export async function streamAnswer(
  reply: FastifyReply,
  operation: Operation,
  submission: Submission,
  format: Format,
  options: OperationRoutes,
): Promise<FastifyReply> {
  const { headers, ip: address } = reply.request;
  const parameters = readParameters(submission, operation.input);
  const call = { parameters, authorization: headers.authorization, address, signal: untilClosed(reply) };
  const pieces = writeRecords(format, operation.answer(options.resources, call));
  return sendPieces(reply, format.mediaType, pieces, options);
}
