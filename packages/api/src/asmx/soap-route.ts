import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireAnswerable } from '../http/availability.ts';
import { addBodyParser } from '../http/request-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Problem } from '../problems/problems.ts';
import { unsupportedMediaType } from '../problems/problems.ts';
import { readSoapCall } from './soap/read-soap-call.ts';
import { soapAnswer, soapFaultMessage, soapMediaType } from './soap/soap-answer.ts';
import { type SoapRequest, soap11, soap12, soapRequest } from './soap/soap-version.ts';
import { type OperationRoutes, streamAnswer } from './stream-answer.ts';

const mediaTypes = [soap11.mediaType, soap12.mediaType];

/** POST of SOAP messages to the service itself. It has body parsers of its own: messages, and nothing else. */
export function addSoapRoute(app: FastifyInstance, path: string, options: OperationRoutes): void {
  const { xml, availability, loggedProblem } = options;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    addBodyParser(scope, mediaTypes, (body) => body);
    scope.post(path, {
      onRequest: async (request) => {
        messageHead(request);
        requireAnswerable(request, availability);
      },
      handler: (request, reply) => {
        const head = messageHead(request);
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        const { operation, submission } = readSoapCall({ ...head, body }, xml.namespace);
        return streamAnswer(reply, operation, submission, soapAnswer(head.version, operation, xml), options);
      },
      errorHandler: (error, request, reply) => sendFault(request, reply, loggedProblem(error, request)),
    });
  });
}

function messageHead({ headers }: FastifyRequest): SoapRequest {
  const head = soapRequest(headers);
  if (head === undefined) throw unsupportedMediaType(`a SOAP message, ${mediaTypes.join(' or ')}`);
  return head;
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
