import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { utcText } from '@visitor-counter/domain/time';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller, Callers } from '../access/callers.ts';
import {
  isSecure,
  requireSameSite,
  type Sessions,
  sessionCookie,
  sessionLength,
  sessionOf,
} from '../access/sessions.ts';
import { forbidden, unauthenticated } from '../problems/problems.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from './routing/route.ts';
import { instant, orNull } from './routing/shapes.ts';
import { readBody } from './routing/values.ts';

const callerShape = Type.Object(
  {
    company: Type.String({ description: 'Name of the company.' }),
    kind: Type.Enum(['counts', 'life-signal', 'staff']),
    label: Type.String({ description: 'Label of the credential.' }),
    expiresAt: orNull(instant('When the credential ends.')),
    stores: orNull(Type.Array(Type.String(), { description: 'The store ids that it is limited to.' })),
    session: orNull(Type.Object({ expiresAt: instant('When the session ends.') })),
  },
  { $id: 'Caller' },
);

/** A caller in an answer; `sids` of the stores that the credential is limited to. */
function callerItem(caller: Caller, sids: readonly string[] | null) {
  const { company, kind, label, expiresAt, proof } = caller;
  return {
    ...{ company, kind, label },
    expiresAt: expiresAt === null ? null : utcText(expiresAt),
    stores: sids,
    session: proof.by === 'session' ? { expiresAt: utcText(proof.expiresAt) } : null,
  };
}

const signIn = Type.Object({
  token: Type.String({ description: 'a credential of kind staff', minLength: 1, maxLength: 4_096 }),
});

export const signInDescription = {
  method: 'POST',
  path: '/v1/session',
  summary: 'Sign a page in',
  kinds: [],
  query: nothing,
  body: signIn,
  status: 201,
  answer: callerShape,
} satisfies RouteDescription;

export const signOutDescription = {
  method: 'DELETE',
  path: '/v1/session',
  summary: 'Sign a page out',
  kinds: [],
  query: nothing,
  body: nothing,
  status: 204,
  answer: Type.Void(),
} satisfies RouteDescription;

interface SessionResources {
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly sids: (caller: Caller) => Promise<readonly string[] | null>;
}

/** Signing in and out of a page in a browser. */
export function addSessionRoutes(app: FastifyInstance, resources: SessionResources): void {
  app.post('/v1/session', (request, reply) => begin(resources, request, reply));
  app.delete('/v1/session', (request, reply) => end(resources, request, reply));
}

/** Exchanges a staff credential for a cookie; a session that was there before ends. */
async function begin(
  { callers, sessions, sids }: SessionResources,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  requireSameSite(request);
  const { token } = readBody(signIn, request.body);
  const credential = await callers.signIn(token.trim(), request.ip);
  if (credential.kind !== 'staff') throw forbidden(['staff']);
  const before = sessionOf(request);
  if (before !== undefined) await sessions.end(hashSecret(before));
  const value = await sessions.begin(credential.credentialId);
  const caller = await callers.bySession(hashSecret(value));
  if (caller === undefined) throw unauthenticated();
  return reply
    .status(201)
    .header('set-cookie', sessionCookie(value, sessionLength, isSecure(request)))
    .send(callerItem(caller, await sids(caller)));
}

/** Ends the session, if there is one. */
async function end(
  { sessions }: SessionResources,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  requireSameSite(request);
  const value = sessionOf(request);
  if (value !== undefined) await sessions.end(hashSecret(value));
  return reply
    .status(204)
    .header('set-cookie', sessionCookie('', 0, isSecure(request)))
    .send();
}

export const getSessionDescription = {
  method: 'GET',
  path: '/v1/session',
  summary: 'Who the caller is',
  kinds: ['counts', 'life-signal', 'staff'],
  query: nothing,
  body: nothing,
  status: 200,
  answer: callerShape,
} satisfies RouteDescription;

/** Who the caller is. */
export function getSession(resources: Pick<V1Resources, 'database'>): Route {
  const sids = sidsOf(resources);
  return route(getSessionDescription, async ({ caller }) => callerItem(caller, await sids(caller)));
}

/** The store ids that a caller is limited to; null without a limit. */
export function sidsOf({ database }: Pick<V1Resources, 'database'>) {
  return async (caller: Caller): Promise<readonly string[] | null> =>
    caller.storeIds === null ? null : (await storeFacts(database.kysely, caller)).map(({ sid }) => sid);
}
