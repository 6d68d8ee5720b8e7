import type { Database } from '@visitor-counter/database/sql/connect';
import { type Sight, type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import Type from 'typebox';
import { keepSession } from '../../access/sessions.ts';
import type { StreamLimits } from '../../access/stream-limits.ts';
import { forbidden } from '../../problems/problems.ts';
import type { Route, RouteResources } from '../routing/route.ts';
import { readQuery } from '../routing/values.ts';
import { storeOf } from '../stores/stores.ts';
import type { LiveHub } from './live-hub.ts';

const query = Type.Object({
  store: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { description: 'store ids', maxItems: 1_000 }),
  ),
});

const kinds = ['counts', 'staff'] as const;

export interface LiveResources extends RouteResources {
  readonly hub: LiveHub;
  readonly stores: SharedStores;
  readonly streams: StreamLimits;
}

/** The live stream. Errors of the request are answered before it begins. */
export const liveRoute: Route<LiveResources> = {
  method: 'GET',
  path: '/v1/live',
  summary: 'The stream of changes',
  kinds,
  query,
  answer: Type.String({ description: 'Server-sent events: occupancy, health, beat.' }),
  mediaType: 'text/event-stream',
  handle: async (resources, request, reply) => {
    const { callers, hub, stores, streams } = resources;
    const caller = await callers.identify(request);
    if (!kinds.some((kind) => kind === caller.kind)) throw forbidden(kinds);
    const wanted = wantedStores(await stores.of(caller), readQuery(query, request.query).store);
    await keepSession(resources, caller, request, reply);
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      /* To proxies, which would otherwise gather the stream before they pass it on. */
      'x-accel-buffering': 'no',
    });
    const { raw } = reply;
    if (request.method === 'HEAD') return reply.send();
    const close = streams.open(caller);
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    reply.hijack();
    /* The response of a caller that has disconnected meanwhile does not emit close again. */
    const left = raw.destroyed
      ? Promise.resolve()
      : new Promise<void>((resolve) => raw.once('close', resolve));
    raw.writeHead(200);
    raw.flushHeaders();
    try {
      const leave = hub.join(caller, raw, wanted);
      await left;
      leave();
    } catch (error) {
      raw.destroy();
      throw error;
    } finally {
      close();
    }
    return undefined;
  },
};

/** The requested stores that the caller sees, each once and in one order, however the query names them. */
function wantedStores(
  seen: readonly StoreFacts[],
  sids: readonly string[] | undefined,
): readonly StoreFacts[] {
  if (sids === undefined) return seen;
  const ids = new Set([...new Set(sids)].map((sid) => storeOf(seen, sid).id));
  return seen.filter(({ id }) => ids.has(id));
}

/** How long stores that were read are used (ms). */
const fresh = 1_000;

/**
 * The stores that callers see, read once for all callers with the same rights that arrive at about the same time: after
 * an outage a thousand pages reconnect at once.
 */
export class SharedStores {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #read = new Map<string, { readonly at: number; readonly stores: Promise<StoreFacts[]> }>();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** By sid. */
  of({ companyId, storeIds }: Sight): Promise<readonly StoreFacts[]> {
    const now = this.#now();
    for (const [key, { at }] of this.#read) if (now - at >= fresh) this.#read.delete(key);
    const key = `${companyId} ${storeIds}`;
    const known = this.#read.get(key);
    if (known) return known.stores;
    const stores = storeFacts(this.#database.kysely, { companyId, storeIds });
    this.#read.set(key, { at: now, stores });
    stores.catch(() => this.#read.delete(key));
    return stores;
  }
}
