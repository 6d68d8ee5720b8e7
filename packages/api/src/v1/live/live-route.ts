import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Callers } from '../../access/callers.ts';
import { keepSession, type Sessions } from '../../access/sessions.ts';
import type { StreamLimits } from '../../access/stream-limits.ts';
import { forbidden } from '../../problems/problems.ts';
import { nothing, type RouteDescription } from '../routing/route.ts';
import { readQuery } from '../routing/values.ts';
import { storeOf } from '../stores/requested-stores.ts';
import type { LiveHub } from './live-hub.ts';
import type { SharedStores } from './shared-stores.ts';

const query = Type.Object({
  store: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { description: 'store ids', maxItems: 1_000 }),
  ),
});

export const liveDescription = {
  method: 'GET',
  path: '/v1/live',
  summary: 'The stream of changes',
  kinds: ['counts', 'staff'],
  query,
  body: nothing,
  status: 200,
  answer: Type.String({ description: 'Server-sent events: occupancy, health, beat.' }),
  mediaType: 'text/event-stream',
} satisfies RouteDescription;

interface LiveRouteOptions {
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly hub: LiveHub;
  readonly stores: SharedStores;
  readonly limits: StreamLimits;
}

/** The live stream. Errors of the request are answered before it begins. */
export function addLiveRoute(app: FastifyInstance, options: LiveRouteOptions): void {
  app.get('/v1/live', (request, reply) => listen(options, request, reply));
  app.addHook('preClose', async () => options.hub.close());
}

async function listen(
  { callers, sessions, hub, stores, limits }: LiveRouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const caller = await callers.identify(request);
  if (caller.kind === 'life-signal') throw forbidden(liveDescription.kinds);
  const wanted = wantedStores(await stores.of(caller), readQuery(query, request.query).store);
  await keepSession(sessions, caller, request, reply);
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    /* To proxies, which would otherwise gather the stream before they pass it on. */
    'x-accel-buffering': 'no',
  });
  const { raw } = reply;
  if (request.method === 'HEAD') return reply.send();
  const close = limits.open(caller);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  reply.hijack();
  /* The response of a caller that has disconnected meanwhile does not emit close again. */
  const left = raw.destroyed ? Promise.resolve() : new Promise<void>((resolve) => raw.once('close', resolve));
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
}

/** The requested stores that the caller sees, each once and in one order, however the query names them. */
function wantedStores(
  seen: readonly StoreFacts[],
  sids: readonly string[] | undefined,
): readonly StoreFacts[] {
  if (sids === undefined) return seen;
  const ids = new Set([...new Set(sids)].map((sid) => storeOf(seen, sid).id));
  return seen.filter(({ id }) => ids.has(id));
}
