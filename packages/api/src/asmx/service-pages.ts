import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { XmlNames } from '../formats/xml-names.ts';
import { publicUrl } from '../http/public-url.ts';
import { notFound } from '../problems/problems.ts';
import type { Operation } from './operations/operation.ts';
import type { HtmlPage } from './page/html-page.ts';
import { operationPage } from './page/operation-page.ts';
import { servicePage } from './page/service-page.ts';
import { disco, wsdl } from './wsdl/wsdl.ts';

export interface ServicePagesOptions {
  readonly operations: readonly Operation[];
  readonly names: XmlNames;
}

/** GET of the service: the WSDL, the discovery document, and the pages for people, by the query. */
export function addServicePages(app: FastifyInstance, path: string, options: ServicePagesOptions): void {
  const { operations, names } = options;
  app.get(path, (request, reply) => {
    const query = queryOf(request);
    const address = addressOf(request);
    if (query.has('wsdl') || query.has('singlewsdl')) return sendXml(reply, wsdl({ ...options, address }));
    if (query.has('disco')) return sendXml(reply, disco(names, address));
    const requested = query.get('op');
    if (requested === undefined) return sendPage(reply, servicePage(operations, address));
    const operation = operations.find(({ name }) => name === requested);
    if (operation === undefined) throw notFound();
    return sendPage(reply, operationPage({ operation, names, address }));
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

function sendPage(reply: FastifyReply, { headers, text }: HtmlPage): FastifyReply {
  return reply.headers(headers).send(text);
}
