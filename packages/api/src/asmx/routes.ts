import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatsOf } from '../formats/formats.ts';
import { shapeOf } from '../formats/records.ts';
import type { XmlNames } from '../formats/xml-names.ts';
import type { Availability } from '../http/availability.ts';
import { type ParsedBody, requirePlainUtf8 } from '../http/body-parsers.ts';
import { preferredFormat } from '../http/negotiate.ts';
import { openApiParts } from '../openapi/parts.ts';
import { addReference, referencePaths } from '../openapi/reference.ts';
import type { Problem } from '../problems/problem.ts';
import { databaseUnavailable, methodNotAllowed, notFound } from '../problems/problems.ts';
import type { Operation } from './operations/operation.ts';
import { addServicePages } from './service-pages.ts';
import { addSoapRoute } from './soap-route.ts';
import { callOf, type StreamOptions, streamAnswer } from './stream-answer.ts';

/** `Service.asmx` in any letter case, as a route parameter that matches nothing else. */
const service = ':service(^[Ss][Ee][Rr][Vv][Ii][Cc][Ee]\\.[Aa][Ss][Mm][Xx]$)';

/** Paths outside the operations, answered by GET. */
const getPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/live', ...referencePaths]);

interface RouteOptions extends StreamOptions {
  readonly pathId: string;
  readonly operations: readonly Operation[];
  readonly availability: Availability;
  readonly xml: XmlNames;
  /** The problem that an error is to the caller, after it was counted and logged. */
  readonly problemFor: (error: unknown, request: FastifyRequest) => Problem;
  /** The methods of the paths that others add. */
  readonly methodsElsewhere: (path: string) => string | undefined;
}

/**
 * POST of each operation and of SOAP messages, GET of the service's pages, of the reference and of the probes,
 * and what to say about every other path and method.
 */
export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { operations, availability } = options;
  const allowed = allowedMethods(options);
  app.addHook('onRequest', async (request) => {
    if (!request.is404) return;
    const [path = ''] = request.url.split('?', 1);
    const allow = allowed(path) ?? options.methodsElsewhere(path);
    throw allow === undefined ? notFound() : methodNotAllowed(allow);
  });
  addProbes(app, availability);
  addReference(app, openApiParts(options));
  const admit = (request: FastifyRequest) => admitWhen(request, availability);
  const path = `/${options.pathId}/${service}`;
  addServicePages(app, path, { operations, names: options.xml });
  addSoapRoute(app, path, { ...options, admit });
  for (const operation of operations) {
    const formats = formatsOf(shapeOf(operation.record), options.xml);
    app.post<{ Body: ParsedBody | undefined }>(`${path}/${operation.name}`, {
      onRequest: async (request) => admit(request),
      handler: (request, reply) => {
        const submission = request.body?.submission ?? [];
        const format = formats[preferredFormat(request.headers)];
        return streamAnswer(reply, format, operation.answer(callOf(reply, submission)), options);
      },
    });
  }
}

/**
 * `/ready`, and `/health` alike, ask the database; `/live` is 200 as long as the process can answer at all: who
 * restarts what does not live must not restart the api because the database is away.
 */
function addProbes(app: FastifyInstance, availability: Availability): void {
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const ok = await availability.check();
    return reply.status(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/ready', ready);
  app.get('/live', async () => ({ status: 'ok' }));
}

function admitWhen(request: FastifyRequest, availability: Availability): void {
  if (!availability.ready()) throw databaseUnavailable();
  requirePlainUtf8(request.headers);
}

/** The methods of a path that exists; undefined for one that does not. */
function allowedMethods({ pathId, operations }: RouteOptions): (path: string) => string | undefined {
  const names = new Set(operations.map(({ name }) => name));
  return (path) => {
    if (getPaths.has(path)) return 'GET, HEAD';
    const [, id, file, name, ...rest] = path.split('/');
    if (id !== pathId || file?.toLowerCase() !== 'service.asmx' || rest.length > 0) return undefined;
    if (name === undefined) return 'GET, HEAD, POST';
    return names.has(name) ? 'POST' : undefined;
  };
}
