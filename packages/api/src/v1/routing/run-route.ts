import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject } from 'typebox';
import { authorOf, type Caller } from '../../access/callers.ts';
import { keepSession, requireSameSite } from '../../access/sessions.ts';
import { untilClosed } from '../../http/answer-body.ts';
import { forbidden, Problem, unsupportedMediaType } from '../../problems/problems.ts';
import type { Resources } from '../../resources.ts';
import { fileQuery, listFormat, sendList } from './list-files.ts';
import { namesInPath, type Route, type RouteDescription } from './route.ts';
import { mediaTypesOf, readBody, readQuery, requireKnown } from './values.ts';

/** Answers a request to a route, for its caller. Throws errors of the caller as a Problem. */
export async function runRoute(
  route: Route,
  resources: Resources,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { kinds, status = 200, columns, places = 'answers', mediaType } = route;
  const caller = await resources.callers.identify(request);
  requireSameSite(request, caller);
  await keepSession(resources, caller, request, reply);
  const format = columns && listFormat(request);
  const signal = untilClosed(reply);
  if (!kinds.includes(caller.kind)) throw forbidden(kinds);
  requireRight(caller, route.settings);
  const place = await resources[places].acquire(caller.companyId, signal);
  using _untilSent = releaseWhenClosed(place, signal);
  const answerTo = (query: unknown) => {
    const read = readRequest(route, { params: request.params, query, body: request.body });
    return route.respond({ caller, author: authorOf(caller, request.ip), signal, ...read }, resources);
  };
  if (format === undefined) {
    const answered = await answerTo(request.query);
    if (mediaType !== undefined) reply.type(mediaType).header('content-security-policy', shownPages);
    return reply.status(status).send(answered);
  }
  const recipient = { company: caller.company, now: resources.now() };
  return await sendList(route, format, answerTo, request, reply, recipient);
}

/** The content of a page that a route answers loads nothing, and runs nothing. */
const shownPages = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Disposing of it releases the place when the answer is over as well: until then it is in memory. */
function releaseWhenClosed(place: Disposable, closed: AbortSignal): Disposable {
  const release = () => place[Symbol.dispose]();
  return {
    [Symbol.dispose]: () => {
      if (closed.aborted) release();
      else closed.addEventListener('abort', release, { once: true });
    },
  };
}

/** Throws `forbidden`. */
function requireRight({ maySettings, storeIds }: Caller, settings: RouteDescription['settings']): void {
  if (settings === undefined) return;
  if (!maySettings)
    throw new Problem('forbidden', {
      detail: 'This needs a staff credential with the right to change settings.',
    });
  if (settings === 'company' && storeIds !== null)
    throw new Problem('forbidden', {
      detail:
        'These settings concern all stores: this needs a credential that is not limited to some stores.',
    });
}

/** Throws `invalid_parameter` for a name in the query of a request that its route does not have. */
export function requireKnownQuery(
  { query = nothing, columns }: RouteDescription,
  request: FastifyRequest,
): void {
  const ofFiles = columns ? fileQuery.properties : {};
  requireKnown(request.query, Object.keys({ ...query.properties, ...ofFiles }));
}

/** No parameters. */
const nothing = Type.Object({});

/** Reads the request to a route by its description; a query or body that it does not have is empty. */
function readRequest(
  { path, query = nothing, body = nothing, rawBody }: RouteDescription,
  { params, query: given, body: sent }: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
) {
  const isReadable = typeof sent === 'string' ? rawBody?.texts : !rawBody || rawBody.json;
  if (sent !== undefined && !isReadable) throw unsupportedMediaType(mediaTypesOf(rawBody));
  return {
    sent,
    path: readQuery(pathSchema(path), params),
    query: readQuery(query, given),
    body: readBody(body, body === nothing ? {} : sent),
  };
}

function pathSchema(path: string): TObject<Record<string, Type.TString>> {
  const texts = namesInPath(path).map((name) => [name, Type.String({ description: 'text' })]);
  return Type.Object(Object.fromEntries(texts));
}
