import type { Author } from '@visitor-counter/database/audit/record-audit';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Column } from '@visitor-counter/spreadsheet/columns';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { authorOf, type Caller, type Callers } from '../../access/callers.ts';
import type { Places } from '../../access/places.ts';
import { keepSession, requireSameSite } from '../../access/sessions.ts';
import { untilClosed } from '../../http/answer-body.ts';
import { forbidden, Problem, unsupportedMediaType } from '../../problems/problems.ts';
import type { Snapshots } from '../../snapshots/snapshots.ts';
import { fileQuery, listFormat, type PersonsSheet, sendList } from './list-files.ts';
import { mediaTypesOf, type RawBody, readBody, readQuery, requireKnown } from './values.ts';

/** The description of a route: its requests are validated by it, and OpenAPI is made from it. */
export interface RouteDescription<Query extends TObject = TObject, Body extends TObject = TObject> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As fastify writes it: `/v1/stores/:sid`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** The kinds of credentials that open it. */
  readonly kinds: readonly CredentialKind[];
  /** Whether it needs the right to change settings: those of a store, or those of the company, for all its stores. */
  readonly settings?: 'store' | 'company';
  readonly query?: Query;
  readonly body?: Body;
  /** Instead of `body`: one that the route reads from `sent` without validation by its description. */
  readonly rawBody?: RawBody;
  /** The largest body (bytes), if it may be larger than others. */
  readonly bodyLimit?: number;
  /** The status of success, 200 when left out, and what the answer then is. */
  readonly status?: number;
  readonly answer: TSchema;
  /** If the answer is not JSON. */
  readonly mediaType?: string;
  /** The columns of the items as CSV and XLSX; without columns the route answers neither. */
  readonly columns?: readonly Column[];
  /** The query parameter of a list that says where it begins; with a cursor it must be left out. */
  readonly beginsAt?: string;
  /** Where its requests get a place, if not among `answers`. */
  readonly places?: 'exports';
}

/** Who may open the routes of the settings of a company. */
export const companySettings = { kinds: ['staff'], settings: 'company' } as const;

/** A route as the server runs it. */
export interface Route<Resources = RouteResources> extends RouteDescription {
  /** Throws errors of the caller as a Problem. */
  handle(
    resources: Resources,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined>;
}

/** What most routes use. */
export interface RouteResources {
  readonly database: Database;
  readonly snapshots: Snapshots;
  readonly callers: Callers;
  /** Places for reading ranges, and for all other answers. */
  readonly exports: Places;
  readonly answers: Places;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A request, validated. */
export interface RouteRequest<Query, Body> {
  readonly caller: Caller;
  /** The caller as the author of a change. */
  readonly author: Author;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The body as it was sent: JSON, or a text for a route with `rawBody`. */
  readonly sent: unknown;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
}

/** A route that answers a caller, as JSON or with its items as CSV or XLSX. Requests are read by its description. */
export function route<Query extends TObject, Body extends TObject, Answer extends object>(
  description: RouteDescription<Query, Body> & { readonly sheet?: PersonsSheet<Answer> },
  answer: (request: RouteRequest<Static<Query>, Static<Body>>, resources: RouteResources) => Promise<Answer>,
): Route {
  const { kinds, status = 200, columns, places = 'answers', mediaType } = description;
  const handle: Route['handle'] = async (resources, request, reply) => {
    const caller = await resources.callers.identify(request);
    requireSameSite(request, caller);
    await keepSession(resources, caller, request, reply);
    const format = columns && listFormat(request);
    const signal = untilClosed(reply);
    if (!kinds.includes(caller.kind)) throw forbidden(kinds);
    requireRight(caller, description.settings);
    const place = await resources[places].acquire(caller.companyId, signal);
    using _untilSent = releaseWhenClosed(place, signal);
    const answerTo = (query: unknown) => {
      const read = readRequest(description, { params: request.params, query, body: request.body });
      return answer({ caller, author: authorOf(caller, request.ip), signal, ...read }, resources);
    };
    if (format === undefined) {
      const answered = await answerTo(request.query);
      if (mediaType !== undefined) reply.type(mediaType).header('content-security-policy', shownPages);
      return reply.status(status).send(answered);
    }
    const recipient = { company: caller.company, now: resources.now() };
    return await sendList(description, format, answerTo, request, reply, recipient);
  };
  return { ...description, handle };
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
  { query = nothing, columns }: Pick<RouteDescription, 'query' | 'columns'>,
  request: FastifyRequest,
): void {
  const ofFiles = columns ? fileQuery.properties : {};
  requireKnown(request.query, Object.keys({ ...query.properties, ...ofFiles }));
}

/** No parameters. */
const nothing = Type.Object({});

/** Reads the request to a route by its description; a query or body that it does not have is empty. */
function readRequest<Query extends TObject, Body extends TObject>(
  description: RouteDescription<Query, Body>,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
): Omit<RouteRequest<Static<Query>, Static<Body>>, 'caller' | 'author' | 'signal'>;
function readRequest(
  { path, query = nothing, body = nothing, rawBody }: RouteDescription,
  { params, query: given, body: sent }: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
): Omit<RouteRequest<unknown, unknown>, 'caller' | 'author' | 'signal'> {
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

/** The names of the parameters in the path of a route. */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}
