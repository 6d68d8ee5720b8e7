import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatsOf } from '../formats/formats.ts';
import { shapeOf } from '../formats/records.ts';
import type { XmlNames } from '../formats/xml-names.ts';
import { type Availability, requireAnswerable } from '../http/availability.ts';
import { preferredFormat } from '../http/negotiate.ts';
import type { ParsedBody } from '../http/request-body.ts';
import type { Problem } from '../problems/problem.ts';
import type { Operation } from './operations/operation.ts';
import { addServicePages } from './service-pages.ts';
import { addSoapRoute } from './soap-route.ts';
import { callOf, type StreamOptions, streamAnswer } from './stream-answer.ts';

/** `Service.asmx` in any letter case, as a route parameter that matches nothing else. */
const service = ':service(^[Ss][Ee][Rr][Vv][Ii][Cc][Ee]\\.[Aa][Ss][Mm][Xx]$)';

export interface OperationRoutes extends StreamOptions {
  readonly pathId: string;
  readonly operations: readonly Operation[];
  readonly availability: Availability;
  readonly xml: XmlNames;
  /** Counts and logs an error, and returns the problem to answer with. */
  readonly problemFor: (error: unknown, request: FastifyRequest) => Problem;
}

/** POST of each operation and of SOAP messages, and GET of the service's pages. */
export function addOperations(app: FastifyInstance, options: OperationRoutes): void {
  const { pathId, operations, availability, xml } = options;
  const path = `/${pathId}/${service}`;
  addServicePages(app, path, { operations, names: xml });
  addSoapRoute(app, path, options);
  for (const operation of operations) {
    const formats = formatsOf(shapeOf(operation.record), xml);
    app.post<{ Body: ParsedBody | undefined }>(`${path}/${operation.name}`, {
      onRequest: async (request) => requireAnswerable(request, availability),
      handler: (request, reply) => {
        const submission = request.body?.submission ?? [];
        const format = formats[preferredFormat(request.headers)];
        return streamAnswer(reply, format, operation.answer(callOf(reply, submission)), options);
      },
    });
  }
}

/** The methods of a path of the service; undefined for one that does not exist. */
export function methodsOfOperations({
  pathId,
  operations,
}: Pick<OperationRoutes, 'pathId' | 'operations'>): (path: string) => string | undefined {
  const names = new Set(operations.map(({ name }) => name));
  return (path) => {
    const [, id, file, name, ...rest] = path.split('/');
    if (id !== pathId || file?.toLowerCase() !== 'service.asmx' || rest.length > 0) return undefined;
    if (name === undefined) return 'GET, HEAD, POST';
    return names.has(name) ? 'POST' : undefined;
  };
}
