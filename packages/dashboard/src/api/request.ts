import * as v from 'valibot';
import { problemIn } from './shapes.ts';

/** Time limit of an answer (ms). */
const deadline = 15_000;

/** A failed request. `code` is that of the problem record, or `unreachable`. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, detail: string) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
}

/**
 * Sends a request to the read interface with the session's cookie and validates the answer. Throws a RequestError, with
 * status 0 if the server is unreachable.
 */
export async function request<Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
  { method = 'GET', body }: Asked = {},
): Promise<v.InferOutput<Schema>> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      /* Proves that the request comes from the page, not from a form of another site. */
      'x-requested-with': 'visitor-counter',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(deadline),
  }).catch(() => {
    throw new RequestError('unreachable', 0, 'The server cannot be reached.');
  });
  const answered: unknown =
    response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) {
    const { code, detail = response.statusText } = problemIn(answered);
    throw new RequestError(code, response.status, detail);
  }
  return v.parse(schema, answered);
}

/** All items of a list, page by page. */
export async function requestAll<Item extends v.GenericSchema>(
  path: string,
  item: Item,
): Promise<v.InferOutput<Item>[]> {
  const page = v.object({ items: v.array(item), next: v.nullable(v.string()) });
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
