import type { Author } from '@visitor-counter/database/audit/audit-log';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import type { Column } from '@visitor-counter/spreadsheet/columns';
import type { Sheet } from '@visitor-counter/spreadsheet/sheet';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import type { Resources } from '../../resources.ts';
import type { RawBody } from './values.ts';

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

/** A route that answers a caller, as JSON or with its items as CSV or XLSX: `runRoute` runs it. */
export interface Route extends RouteDescription {
  /** Throws errors of the caller as a Problem. The query and the body are as described. */
  respond(request: RouteRequest<unknown, unknown>, resources: Resources): Promise<object>;
  sheet?(page: object, locale: string): Sheet;
}

/** A route that identifies its caller and replies itself. */
export interface HandledRoute extends RouteDescription {
  /** Throws errors of the caller as a Problem. */
  handle(
    resources: Resources,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined>;
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

/** Makes the table of a list that has one page for a person, in a language; programs get the columns of the list. */
type PersonsSheet<Page> = (page: Page, locale: string) => Sheet;

/** A route whose requests are read by its description. */
export function route<Query extends TObject, Body extends TObject, Answer extends object>(
  description: RouteDescription<Query, Body> & { readonly sheet?: PersonsSheet<Answer> },
  respond: (request: RouteRequest<Static<Query>, Static<Body>>, resources: Resources) => Promise<Answer>,
): Route {
  return { ...description, respond };
}

/** The names of the parameters in the path of a route. */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}
