import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { preferredFormat } from '../formats/formats.ts';
import { formatsOf } from '../formats/write-records.ts';
import type { XmlNames } from '../formats/xml.ts';
import { requireAnswerable } from '../http/availability.ts';
import { publicUrl } from '../http/public-url.ts';
import type { Submission } from '../http/request-body.ts';
import { Problem } from '../problems/problems.ts';
import { operations } from './operations/operations.ts';
import { pageHeaders } from './page/html-page.ts';
import { servicePage } from './page/service-page.ts';
import { addSoapRoute } from './soap-route.ts';
import { type OperationRoutes, streamAnswer } from './stream-answer.ts';
import { disco, wsdl } from './wsdl.ts';

/** `Service.asmx` in any letter case, as a route parameter that matches nothing else. */
const service = ':service(^[Ss][Ee][Rr][Vv][Ii][Cc][Ee]\\.[Aa][Ss][Mm][Xx]$)';

/** POST of each operation and of SOAP messages, and GET of the service's pages. */
export function addOperations(app: FastifyInstance, options: OperationRoutes): void {
  const { pathId, availability, xml } = options;
  const path = `/${pathId}/${service}`;
  addServicePages(app, path, xml);
  addSoapRoute(app, path, options);
  for (const operation of operations) {
    const formats = formatsOf(operation.record, xml);
    app.post<{ Body: Submission | undefined }>(`${path}/${operation.name}`, {
      onRequest: async (request) => requireAnswerable(request, availability),
      handler: (request, reply) => {
        const format = formats[preferredFormat(request.headers)];
        return streamAnswer(reply, operation, request.body ?? { fields: [] }, format, options);
      },
    });
  }
}

/** GET of the service: the WSDL, the discovery document, and the pages for people, by the query. */
function addServicePages(app: FastifyInstance, path: string, names: XmlNames): void {
  app.get(path, (request, reply) => {
    const query = queryOf(request);
    const address = addressOf(request);
    if (query.has('wsdl') || query.has('singlewsdl')) return sendXml(reply, wsdl(names, address));
    if (query.has('disco')) return sendXml(reply, disco(names, address));
    const requested = query.get('op');
    const shown = operations.filter(({ name }) => name === (requested ?? name));
    if (shown.length === 0) throw new Problem('not_found');
    return reply.headers(pageHeaders).send(servicePage(address, shown));
  });
}

/** The first value of each name, the names in lower case. */
function queryOf({ url }: FastifyRequest): ReadonlyMap<string, string> {
  const pairs = [...new URLSearchParams(url.slice(pathEnd(url) + 1))];
  return new Map(pairs.reverse().map(([name, value]) => [name.toLowerCase(), value]));
}

function addressOf(request: FastifyRequest): string {
  return publicUrl(request) + request.url.slice(0, pathEnd(request.url));
}

function pathEnd(url: string): number {
  const mark = url.indexOf('?');
  return mark < 0 ? url.length : mark;
}

function sendXml(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/xml; charset=utf-8').send(text);
}
