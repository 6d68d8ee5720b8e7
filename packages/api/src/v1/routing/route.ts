import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Caller, Callers } from '../../access/callers.ts';
import type { ExportSlots } from '../../access/export-slots.ts';
import { keepSession, requireSameSite } from '../../access/sessions.ts';
import { csv, preferredFormat } from '../../formats/formats.ts';
import { forbidden, unsupportedMediaType } from '../../problems/problems.ts';
import type { Reports } from '../../reports/reports.ts';
import { readBody, readQuery } from './values.ts';

/** The description of a route: its requests are validated by it, and OpenAPI is made from it. */
export interface RouteDescription<Query extends TObject = TObject, Body extends TObject = TObject> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As fastify writes it: `/v1/stores/:sid`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** The kinds of credentials that open it. */
  readonly kinds: readonly CredentialKind[];
  readonly query?: Query;
  readonly body?: Body;
  /** Instead of `body`: one that the route reads from `sent` without validation by its description. */
  readonly rawBody?: RawBody;
  /** The status of success, 200 when left out, and what the answer then is. */
  readonly status?: number;
  readonly answer: TSchema;
  /** If the answer is not JSON. */
  readonly mediaType?: string;
  /** Columns of the items as CSV, paths such as `day.date` among them; without them there is no CSV. */
  readonly columns?: readonly string[];
}

/** A body that its route reads itself. */
export interface RawBody {
  /** What it is as JSON; undefined where it is text only. */
  readonly json?: TSchema;
  /** The media types in which it may be sent as text, such as `text/csv`, and what the text then is. */
  readonly texts: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly limit: number;
}

/** The body of a request as text of a media type that is not JSON. */
export class TextBody {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
  }
}

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
  readonly reports: Reports;
  readonly callers: Callers;
  /** Slots for reading ranges. */
  readonly exports: ExportSlots;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A request, validated. */
interface RouteRequest<Query, Body> {
  readonly caller: Caller;
  /** The address that the request comes from. */
  readonly origin: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Of a route with `rawBody`: JSON as it was sent, or a TextBody. */
  readonly sent: unknown;
}

/** A route that answers a caller, as JSON or as the CSV of its items; its requests are read as it describes itself. */
export function route<Query extends TObject, Body extends TObject>(
  description: RouteDescription<Query, Body>,
  answer: (request: RouteRequest<Static<Query>, Static<Body>>, resources: RouteResources) => Promise<object>,
): Route {
  const { kinds, status = 200, columns } = description;
  const handle: Route['handle'] = async (resources, request, reply) => {
    const caller = await resources.callers.identify(request);
    requireSameSite(request, caller);
    await keepSession(resources, caller, request, reply);
    const raw = isRawCsv(request);
    if (!kinds.includes(caller.kind)) throw forbidden(kinds);
    const result = await answer(
      { caller, origin: request.ip, ...readRequest(description, request) },
      resources,
    );
    if (columns === undefined || raw === undefined) return reply.status(status).send(result);
    const { text, next } = csvOf(columns, result, raw);
    if (next !== null) reply.header('link', `<${nextUrl(request.url, next)}>; rel="next"`);
    return reply.type('text/csv; charset=utf-8; header=present').send(text);
  };
  return { ...description, handle };
}

/** No parameters. */
const nothing = Type.Object({});

/** Reads the request to a route by its description; a query or body that it does not have is empty. */
function readRequest<Query extends TObject, Body extends TObject>(
  description: RouteDescription<Query, Body>,
  request: FastifyRequest,
): Omit<RouteRequest<Static<Query>, Static<Body>>, 'caller' | 'origin'>;
function readRequest(
  { path, query = nothing, body = nothing, rawBody }: RouteDescription,
  { params, query: given, body: sent }: FastifyRequest,
): Omit<RouteRequest<unknown, unknown>, 'caller' | 'origin'> {
  const isReadable = sent instanceof TextBody ? rawBody?.texts[sent.mediaType] : !rawBody || rawBody.json;
  if (sent !== undefined && !isReadable) throw unsupportedMediaType(mediaTypesOf(rawBody));
  return {
    sent,
    path: readQuery(pathSchema(path), params),
    query: readQuery(query, given),
    body: readBody(body, body === nothing ? {} : sent),
  };
}

/** For people: in which media types the body of a route may be sent. */
function mediaTypesOf(
  { json, texts }: Pick<RawBody, 'json' | 'texts'> = { json: nothing, texts: {} },
): string {
  return [...(json ? ['application/json'] : []), ...Object.keys(texts)].join(' or ');
}

function pathSchema(path: string): TObject<Record<string, Type.TString>> {
  const texts = namesInPath(path).map((name) => [name, Type.String({ description: 'text' })]);
  return Type.Object(Object.fromEntries(texts));
}

/** The names of the parameters in the path of a route. */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

/** The query parameters of every route that has CSV. */
export const csvQuery = Type.Object({
  raw: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true or false: in CSV, whether text that a spreadsheet would take for a formula is written unchanged',
    }),
  ),
});

/** Whether the CSV that the caller prefers is raw; undefined where they prefer JSON. Throws `invalid_parameter`. */
function isRawCsv({ headers, query }: FastifyRequest): boolean | undefined {
  const format = preferredFormat(headers);
  if (format !== 'csv' && format !== 'raw-csv') return undefined;
  return format === 'raw-csv' || readQuery(csvQuery, query).raw === 'true';
}

/** A list as CSV: a column for each path, such as `day.date`; a missing value or null is empty. */
function csvOf(columns: readonly string[], list: object, raw: boolean) {
  const format = csv({ name: 'Item', fields: columns }, { raw });
  const items: unknown[] = 'items' in list && Array.isArray(list.items) ? list.items : [];
  const rows = items.map((item) => Object.fromEntries(columns.map((path) => [path, valueAt(item, path)])));
  const next = 'next' in list && typeof list.next === 'string' ? list.next : null;
  return { text: format.begin + format.records(rows) + format.end, next };
}

function valueAt(item: unknown, path: string): unknown {
  let value: unknown = item;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return value ?? '';
}

function nextUrl(url: string, next: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  return `${path}?${parameters}`;
}
