import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import Type from 'typebox';
import { keepSession } from '../../access/sessions.ts';
import { untilClosed } from '../../http/answer-body.ts';
import { forbidden } from '../../problems/problems.ts';
import type { HandledRoute } from '../routing/route.ts';
import { storeSid } from '../routing/shapes.ts';
import { readQuery } from '../routing/values.ts';
import { storeOf } from '../stores/requested-stores.ts';

const query = Type.Object({
  store: Type.Optional(Type.Array(storeSid, { description: 'at most 1,000 store ids', maxItems: 1_000 })),
});

const kinds = ['counts', 'staff'] as const;

/** The live stream. Errors of the request are answered before it begins. */
export const liveRoute: HandledRoute = {
  method: 'GET',
  path: '/v1/live',
  summary: 'The stream of changes',
  kinds,
  query,
  answer: Type.String({
    description:
      'Server-sent events: occupancy, completeness, beat. The `EventSource` of browsers cannot send `Authorization`: on a page ' +
      'sign in for a session, in a program use a client that sends headers.',
  }),
  mediaType: 'text/event-stream',
  handle: async (resources, request, reply) => {
    const { callers, database, hub, streams } = resources;
    const caller = await callers.identify(request);
    if (!kinds.some((kind) => kind === caller.kind)) throw forbidden(kinds);
    const seen = await storeFacts(database.kysely, caller);
    const wanted = wantedStores(seen, readQuery(query, request.query).store);
    await keepSession(resources, caller, request, reply);
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      /* To proxies, which would otherwise gather the stream before they pass it on. */
      'x-accel-buffering': 'no',
    });
    const { raw } = reply;
    if (request.method === 'HEAD') return reply.send();
    using _stream = await streams.acquire(caller.companyId, untilClosed(reply));
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
    const leave = hub.join(caller, raw, wanted);
    await left;
    leave();
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
