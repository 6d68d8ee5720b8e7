import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../operations/operation.ts';
import { notFound } from '../problems.ts';
import { disco, wsdl } from '../wsdl/wsdl.ts';
import type { XmlNames } from '../xml/xml-names.ts';
import { publicUrl } from './public-url.ts';

export interface ServicePagesOptions {
  readonly operations: readonly Operation[];
  readonly names: XmlNames;
}

/** GET of the service: the WSDL, the discovery document, and the pages for people, by the query. */
export function addServicePages(app: FastifyInstance, path: string, options: ServicePagesOptions): void {
  app.get(path, (request, reply) => {
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?').toLowerCase());
    const address = addressOf(request);
    if (query.has('wsdl') || query.has('singlewsdl')) return sendXml(reply, wsdl({ ...options, address }));
    if (query.has('disco')) return sendXml(reply, disco(options.names, address));
    throw notFound();
  });
}

function sendXml(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/xml; charset=utf-8').send(text);
}

function addressOf(request: FastifyRequest): string {
  return publicUrl(request) + request.url.split('?', 1)[0];
}
