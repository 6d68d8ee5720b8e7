import { hashSecret } from '@visitor-counter/database/credentials/secret';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller, Callers } from '../../access/callers.ts';
import { isSecure } from '../../access/is-secure.ts';
import { requireSameSite } from '../../access/same-site.ts';
import { sessionCookie, sessionLength, sessionOf } from '../../access/session-cookie.ts';
import type { Sessions } from '../../access/sessions.ts';
import { forbidden, unauthenticated } from '../../problems/problems.ts';
import { nothing, type RouteDescription } from '../routing/route.ts';
import { readBody } from '../routing/values.ts';
import { callerShape, shownCaller } from './shown-caller.ts';

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
    .send(shownCaller(caller, await sids(caller)));
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
