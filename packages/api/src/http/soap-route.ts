import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../operations/operation.ts';
import { shapeOf } from '../operations/records.ts';
import type { Problem } from '../problem.ts';
import { unsupportedMediaType } from '../problems.ts';
import { readSoapCall } from '../soap/read-soap-call.ts';
import { soapAnswer, soapFaultMessage, soapMediaType } from '../soap/soap-answer.ts';
import { faultOf } from '../soap/soap-fault.ts';
import { type SoapRequest, soapRequest } from '../soap/soap-request.ts';
import { soap11, soap12 } from '../soap/soap-version.ts';
import { namedForXml, type XmlNames } from '../xml/xml-names.ts';
import { callOf } from './call-of.ts';
import { sendProblem } from './send-problem.ts';
import { type StreamOptions, streamAnswer } from './stream-answer.ts';

export interface SoapRouteOptions extends StreamOptions {
  readonly operations: readonly Operation[];
  readonly xml: XmlNames;
  /** Throws a problem for a request that no operation can be called with. */
  readonly admit: (request: FastifyRequest) => void;
  /** The problem that an error is to the caller, after it was counted and logged. */
  readonly problemFor: (error: unknown, request: FastifyRequest) => Problem;
}

const mediaTypes = [soap11.mediaType, soap12.mediaType];

/** POST of SOAP messages to the service itself. It has body parsers of its own: messages, and nothing else. */
export function addSoapRoute(app: FastifyInstance, path: string, options: SoapRouteOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      mediaTypes,
      { parseAs: 'buffer' },
      async (_: FastifyRequest, body: Buffer) => body,
    );
    scope.post(path, {
      onRequest: async (request) => {
        messageHead(request);
        options.admit(request);
      },
      handler: (request, reply) => answer(request, reply, options),
      errorHandler: (error, request, reply) => sendFault(request, reply, options.problemFor(error, request)),
    });
  });
}

function messageHead({ headers }: FastifyRequest): SoapRequest {
  const head = soapRequest(headers);
  if (head === undefined) throw unsupportedMediaType(`a SOAP message, ${mediaTypes.join(' or ')}`);
  return head;
}

function answer(request: FastifyRequest, reply: FastifyReply, options: SoapRouteOptions) {
  const { operations, xml } = options;
  const head = messageHead(request);
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const { namespace } = xml;
  const { operation, submission } = readSoapCall({ ...head, body }, { operations, namespace });
  const record = namedForXml(shapeOf(operation.record), xml);
  const format = soapAnswer(head.version, operation.name, { record, namespace });
  return streamAnswer(reply, format, operation.answer(callOf(reply, submission)), options);
}

/** A fault is status 500 whatever it is about; what is no SOAP message at all gets the plain problem. */
function sendFault(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const head = soapRequest(request.headers);
  if (head === undefined) return sendProblem(request, reply, problem);
  return reply
    .status(500)
    .headers(problem.headers)
    .type(soapMediaType(head.version))
    .send(soapFaultMessage(head.version, faultOf(problem)));
}
