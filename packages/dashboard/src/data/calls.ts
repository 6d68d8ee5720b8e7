import * as v from 'valibot';
import { setClock } from './clock.ts';
import {
  Alert,
  Correction,
  Device,
  Problem,
  Session,
  StaffPassage,
  Store,
  VisitorsByStore,
  type WrongLine,
} from './shapes.ts';

/* All requests of the page to /v1, except the live stream. All throw a RequestError. */

export const currentSession = () => request('/v1/session', Session);

/** Exchanges a staff credential for a cookie that scripts cannot read. */
export const signIn = (token: string) => request('/v1/session', Session, { method: 'POST', body: { token } });

export const signOut = () => request('/v1/session', v.undefined(), { method: 'DELETE' });

export const stores = () => requestAll('/v1/stores', Store);

export const store = (sid: string) => request(`/v1/stores/${encodeURIComponent(sid)}`, Store);

/** The visitors of every store in a period, by default today, with those of the period that it is compared with. */
export const visitorsByStore = (query: { from?: string; to?: string; compare: string }) =>
  request(withQuery('/v1/visitors/stores', query), VisitorsByStore);

export const devices = (sid?: string) => requestAll(withQuery('/v1/devices', { store: sid }), Device);

export const corrections = (sid: string, date: string) =>
  requestAll(withQuery('/v1/corrections', { store: sid, from: date, to: date }), Correction);

/** Alerts that are open, and those of the last day; without a store also those of the whole company. */
export const alerts = (sid?: string) => requestAll(withQuery('/v1/alerts', { store: sid }), Alert);

/** Sets the number of people inside from the instant `at` on. The same `id` again changes nothing. */
export const correct = (
  body: Omit<Correction, 'id' | 'undone'> & { readonly store: string; readonly id: string },
) => request('/v1/corrections', Correction, { method: 'POST', body });

/** The most people who were inside a store at the same time, in business days. */
export async function highestOccupancy(sid: string, from: string, to: string): Promise<number> {
  const days = await requestAll(
    withQuery('/v1/counts', { bucket: 'day', store: sid, from, to }),
    v.object({ peak: v.number() }),
  );
  return Math.max(0, ...days.map(({ peak }) => peak));
}

export const undoCorrection = (id: number, by: string) =>
  request(`/v1/corrections/${id}/undo`, Correction, { method: 'POST', body: { by, note: '' } });

/** Declares people who came in and are staff. The same `id` again changes nothing. */
export const tapStaff = (body: {
  readonly store: string;
  readonly people: number;
  readonly at: string;
  readonly id: string;
}) => request('/v1/staff-passages', StaffPassage, { method: 'POST', body });

export const staffPassages = (sid: string, date: string) =>
  requestAll(withQuery('/v1/staff-passages', { store: sid, from: date, to: date }), StaffPassage);

export const undoStaffPassage = (id: number) =>
  request(`/v1/staff-passages/${id}/undo`, StaffPassage, { method: 'POST', body: {} });

/** A random id, also where the page was not loaded over HTTPS. */
export const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Time limit of an answer (ms). */
const deadline = 15_000;

/** A failed request; status 0 if the server is unreachable. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The lines of a list that cannot be used. */
  readonly lines: readonly WrongLine[];
  readonly code: string | undefined;

  constructor(status: number, detail: string, lines: readonly WrongLine[] = [], code?: string) {
    super(detail);
    this.status = status;
    this.lines = lines;
    this.code = code;
  }
}

/** Whether the server has refused a request, which it will refuse again; otherwise it may be sent again, also after a 429. */
export function isRefused(error: unknown): boolean {
  return error instanceof RequestError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** An object is sent as JSON, text as it is. */
  readonly body?: object | string;
  readonly mediaType?: string;
}

/**
 * Sends a request to the read interface with the session's cookie and validates the answer. Throws a
 * RequestError.
 */
export async function request<Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
  { method = 'GET', body, mediaType = 'application/json' }: RequestOptions = {},
): Promise<v.InferOutput<Schema>> {
  const asked = Date.now();
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      /* Proves that the request comes from the page, not from a form of another site. */
      'x-requested-with': 'visitor-counter',
      ...(body && { 'content-type': mediaType }),
    },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(deadline),
  }).catch(() => {
    throw new RequestError(0, 'The server cannot be reached.');
  });
  /* The header has whole seconds. */
  setClock(Date.parse(response.headers.get('date') ?? '') + 500, asked);
  const answered: unknown =
    response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) {
    const problem = v.is(Problem, answered) ? answered : { code: undefined, detail: response.statusText };
    throw new RequestError(response.status, problem.detail, problem.errors, problem.code);
  }
  return v.parse(schema, answered);
}

/** All items of a list, page by page. */
export async function requestAll<Item extends v.GenericSchema>(
  path: string,
  item: Item,
): Promise<v.InferOutput<Item>[]> {
  const page = v.object({ items: v.array(item), next: v.optional(v.nullable(v.string()), null) });
  const items: v.InferOutput<Item>[] = [];
  let next: string | null = null;
  do {
    const url = new URL(path, location.href);
    if (next !== null) url.searchParams.set('after', next);
    const answer: v.InferOutput<typeof page> = await request(url.href, page);
    items.push(...answer.items);
    next = answer.next;
  } while (next !== null);
  return items;
}
