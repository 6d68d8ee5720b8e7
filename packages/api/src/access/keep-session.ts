import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from './callers.ts';
import { isSecure } from './is-secure.ts';
import { sessionCookie, sessionLength, sessionOf } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** Lets a session that is in use last, here and in the browser. */
export async function keepSession(
  sessions: Sessions,
  { proof }: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (proof.by !== 'session' || !(await sessions.extend(proof.hash, proof.expiresAt))) return;
  const value = sessionOf(request) ?? '';
  reply.header('set-cookie', sessionCookie(value, sessionLength, isSecure(request)));
}
