import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Format } from '../formats/formats.ts';
import { shapeOf } from '../formats/records.ts';
import { namedForXml, type XmlNames } from '../formats/xml.ts';
import { type Availability, requireAnswerable } from '../http/availability.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Problem } from '../problems/problems.ts';
import { unsupportedMediaType } from '../problems/problems.ts';
import type { Operation } from './operations/operation.ts';
import { readSoapCall } from './soap/read-soap-call.ts';
import { soapAnswer, soapFaultMessage, soapMediaType } from './soap/soap-answer.ts';
import { type SoapRequest, type SoapVersion, soap11, soap12, soapRequest } from './soap/soap-version.ts';
import { callOf, type StreamOptions, streamAnswer } from './stream-answer.ts';

export interface SoapRouteOptions extends StreamOptions {
  readonly operations: readonly Operation[];
  readonly xml: XmlNames;
  readonly availability: Availability;
  /** Counts and logs an error, and returns the problem to answer with. */
  readonly problemFor: (error: unknown, request: FastifyRequest) => Problem;
}

const mediaTypes = [soap11.mediaType, soap12.mediaType];

/** POST of SOAP messages to the service itself. It has body parsers of its own: messages, and nothing else. */
export function addSoapRoute(app: FastifyInstance, path: string, options: SoapRouteOptions): void {
  const formatOf = soapFormats(options);
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
        requireAnswerable(request, options.availability);
      },
      handler: (request, reply) => answer(request, reply, { ...options, formatOf }),
      errorHandler: (error, request, reply) => sendFault(request, reply, options.problemFor(error, request)),
    });
  });
}

function messageHead({ headers }: FastifyRequest): SoapRequest {
  const head = soapRequest(headers);
  if (head === undefined) throw unsupportedMediaType(`a SOAP message, ${mediaTypes.join(' or ')}`);
  return head;
}

interface AnswerOptions extends SoapRouteOptions {
  readonly formatOf: FormatOf;
}

type FormatOf = (operation: Operation, version: SoapVersion) => Format;

/** Made once for each operation and version: the frames of a list of stores are cached by format. */
function soapFormats({ operations, xml }: SoapRouteOptions): FormatOf {
  const { namespace } = xml;
  const made = (version: SoapVersion) =>
    new Map(
      operations.map((operation) => {
        const record = namedForXml(shapeOf(operation.record), xml);
        return [operation, soapAnswer(version, operation.name, { record, namespace })] as const;
      }),
    );
  const [of11, of12] = [made(soap11), made(soap12)];
  return (operation, version) => {
    const format = (version === soap11 ? of11 : of12).get(operation);
    if (format === undefined) throw new Error(`${operation.name} is none of the operations`);
    return format;
  };
}

function answer(request: FastifyRequest, reply: FastifyReply, options: AnswerOptions) {
  const { operations, xml, formatOf } = options;
  const head = messageHead(request);
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const { namespace } = xml;
  const { operation, submission } = readSoapCall({ ...head, body }, { operations, namespace });
  return streamAnswer(
    reply,
    formatOf(operation, head.version),
    operation.answer(callOf(reply, submission)),
    options,
  );
}

/** A fault always has status 500. A request that is not a SOAP message gets the plain problem. */
function sendFault(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const head = soapRequest(request.headers);
  if (head === undefined) return sendProblem(request, reply, problem);
  return reply
    .status(500)
    .headers(problem.headers)
    .type(soapMediaType(head.version))
    .send(soapFaultMessage(head.version, problem));
}
