import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Callers } from '../access/callers.ts';
import { keepSession, requireSameSite, type Sessions } from '../access/sessions.ts';
import type { CsvOptions } from '../formats/formats.ts';
import { preferredFormat } from '../formats/formats.ts';
import { type Availability, requireAnswerable } from '../http/availability.ts';
import { malformedBody, notFound } from '../problems/problems.ts';
import { routeDescriptions } from './routes.ts';
import { csvOf, csvQuery } from './routing/csv.ts';
import type { Route } from './routing/route.ts';
import { readQuery } from './routing/values.ts';

export interface V1 {
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly routes: readonly Route[];
  /** False while open live streams are sent old numbers. */
  readonly isLiveReady: () => boolean;
  /** Adds the handlers outside `routes`: the stream, signing in and out, enrolment. */
  readonly addMore: (app: FastifyInstance) => void;
}

/** The request headers that every answer of /v1 depends on. */
const headers = { vary: 'Accept, Authorization, Cookie' } as const;

/** The read interface, in a context of its own: its bodies are JSON, its callers send a credential or a session cookie. */
export async function addV1(app: FastifyInstance, v1: V1, availability: Availability): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, readJson);
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (hasEmptySegment(request.params)) throw notFound();
      requireAnswerable(request, availability);
    });
    for (const route of v1.routes) {
      const { method, path: url } = route;
      scope.route({ method, url, handler: (request, reply) => answer(v1, route, request, reply) });
    }
    v1.addMore(scope);
  });
}

/** The router matches an empty path parameter: `/v1/stores/` would be the store with an empty sid. */
function hasEmptySegment(parameters: unknown): boolean {
  return typeof parameters === 'object' && parameters !== null && Object.values(parameters).includes('');
}

async function answer(
  { callers, sessions }: V1,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = await callers.identify(request);
  requireSameSite(request, caller);
  await keepSession(sessions, caller, request, reply);
  const { params: path, query, body } = request;
  const asCsv = csvOptions(request);
  const result = await route.run({ caller, path, query, body });
  if (route.columns === undefined || asCsv === undefined) return reply.status(route.status).send(result);
  const { text, next } = csvOf(route.columns, result, asCsv);
  if (next !== null) reply.header('link', `<${nextUrl(request.url, next)}>; rel="next"`);
  return reply.type('text/csv; charset=utf-8; header=present').send(text);
}

/** How the caller wants CSV; undefined where they prefer JSON. Throws `invalid_parameter`. */
function csvOptions({ headers, query }: FastifyRequest): CsvOptions | undefined {
  const format = preferredFormat(headers);
  if (format !== 'csv' && format !== 'raw-csv') return undefined;
  return { raw: format === 'raw-csv' || readQuery(csvQuery, query).raw === 'true' };
}

function nextUrl(url: string, next: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  return `${path}?${parameters}`;
}

async function readJson(_request: FastifyRequest, body: string | Buffer): Promise<unknown> {
  try {
    return JSON.parse(String(body));
  } catch {
    throw malformedBody('The body is not JSON.');
  }
}

/** The methods of a path of /v1; undefined for one that does not exist. */
export function methodsOfV1(): (path: string) => string | undefined {
  const patterns = routeDescriptions.map(({ method, path }) => ({
    method: method === 'GET' ? 'GET, HEAD' : method,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  }));
  return (path) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return methods.length > 0 ? methods.join(', ') : undefined;
  };
}
