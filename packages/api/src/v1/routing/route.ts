import type { Database } from '@visitor-counter/database/sql/connect';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import type { ExportSlots } from '../../access/export-slots.ts';
import { forbidden } from '../../problems/problems.ts';
import { readBody, readQuery } from './values.ts';

/** The description of a route: its requests are validated by it, and OpenAPI is made from it. */
export interface RouteDescription<Query extends TObject = TObject, Body extends TObject = TObject> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As fastify writes it: `/v1/stores/:sid`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** The kinds of credentials that open it. */
  readonly kinds: readonly CredentialKind[];
  readonly query: Query;
  /** `nothing` without a body. */
  readonly body: Body;
  /** The status of success, and what the answer then is. */
  readonly status: number;
  readonly answer: TSchema;
  /** If the answer is not JSON. */
  readonly mediaType?: string;
  /** Columns of the items as CSV, paths such as `day.date` among them; without them there is no CSV. */
  readonly columns?: readonly string[];
}

/** A request, validated. */
export interface RouteRequest<Query, Body> {
  readonly caller: Caller;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** The answer of a list; CSV has only `items`. */
export interface List {
  readonly items: readonly object[];
  readonly next: string | null;
}

export interface Received {
  readonly caller: Caller;
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A route as the server runs it. */
export interface Route extends RouteDescription {
  /** Throws errors of the caller as a Problem. */
  run(received: Received): Promise<object>;
}

/** No parameters. */
export const nothing = Type.Object({});

/** A route whose requests are read as it describes itself. */
export function route<Query extends TObject, Body extends TObject>(
  description: RouteDescription<Query, Body>,
  answer: (asked: RouteRequest<Static<Query>, Static<Body>>) => Promise<object>,
): Route {
  const { kinds, query, body } = description;
  return {
    ...description,
    run: async (received) => {
      const { caller } = received;
      if (!kinds.includes(caller.kind)) throw forbidden(kinds);
      return await answer({
        caller,
        path: readQuery(pathSchema(description.path), received.path),
        query: readQuery(query, received.query),
        body: readBody(body, Object.keys(body.properties).length === 0 ? {} : received.body),
      });
    },
  };
}

function pathSchema(path: string): TObject<Record<string, Type.TString>> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  return Type.Object(Object.fromEntries(names.map((name) => [name, Type.String({ description: 'text' })])));
}

/** What the routes use. */
export interface V1Resources {
  readonly database: Database;
  /** Slots for reading ranges. */
  readonly exports: ExportSlots;
  /** Epoch ms. */
  readonly now: () => number;
}
