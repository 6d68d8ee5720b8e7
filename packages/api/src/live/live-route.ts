import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { keepSession } from '../session/keep-session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Callers } from '../v1/caller.ts';
import { nothing, type RouteDescription } from '../v1/route.ts';
import { storeOf } from '../v1/stores-in-sight.ts';
import { forbidden, tooManyListeners } from '../v1/v1-problems.ts';
import { readQuery } from '../v1/values.ts';
import type { LiveHub } from './live-hub.ts';
import type { SharedStores } from './shared-stores.ts';

/** Streams in one process; each takes a socket and some kilobytes. */
const mostListeners = 5_000;

const query = Type.Object({
  store: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { description: 'store ids', maxItems: 1_000 }),
  ),
});

export const liveDescription = {
  method: 'GET',
  path: '/v1/live',
  summary: 'Listen to what changes',
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
}

/** The live stream. What is wrong with the request is answered before it begins. */
export function addLiveRoute(app: FastifyInstance, options: LiveRouteOptions): void {
  app.get('/v1/live', (request, reply) => listen(options, request, reply));
  app.addHook('preClose', async () => options.hub.close());
}

async function listen(
  { callers, sessions, hub, stores }: LiveRouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const caller = await callers.identify(request);
  if (caller.kind === 'life-signal') throw forbidden(liveDescription.kinds);
  const asked = readQuery(query, request.query).store;
  const seen = await stores.of(caller);
  const heard = asked === undefined ? seen : asked.map((sid) => storeOf(seen, sid));
  if (hub.listeners >= mostListeners) throw tooManyListeners();
  await keepSession(sessions, caller, request, reply);
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    /* To proxies, which would otherwise gather the stream before they pass it on. */
    'x-accel-buffering': 'no',
  });
  if (request.method === 'HEAD') return reply.send();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  reply.hijack();
  raw.writeHead(200);
  const left = new Promise<void>((resolve) => raw.once('close', resolve));
  const leave = await hub.join(caller, raw, heard).catch((error: unknown) => {
    raw.destroy();
    throw error;
  });
  await left;
  leave();
  return undefined;
}
