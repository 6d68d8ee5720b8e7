import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { storeFacts } from '@visitor-counter/database/stores/store-facts';
import { utcText } from '@visitor-counter/domain/time';
import Type from 'typebox';
import type { Caller } from '../access/callers.ts';
import {
  closeSession,
  isSecure,
  newSession,
  requireSameSite,
  sessionCookie,
  sessionLength,
} from '../access/sessions.ts';
import { untilClosed } from '../http/answer-body.ts';
import { isLocal } from '../http/public-url.ts';
import { forbidden, Problem } from '../problems/problems.ts';
import type { Resources } from '../resources.ts';
import { type HandledRoute, route } from './routing/route.ts';
import { instant, noOtherFields, orNull, text } from './routing/shapes.ts';
import { readBody } from './routing/values.ts';

const callerShape = Type.Object(
  {
    company: text('Name of the company.'),
    kind: Type.Enum(['counts', 'life-signal', 'staff']),
    label: text('Label of the credential.'),
    expiresAt: orNull(instant('When the credential ends.')),
    stores: orNull(Type.Array(Type.String(), { description: 'The store ids that it is limited to.' })),
    settings: Type.Boolean({ description: 'Whether it may change settings.' }),
    session: orNull(Type.Object({ expiresAt: instant('When the session ends.') })),
  },
  { $id: 'Caller' },
);

/** A caller in an answer, with the ids of the stores that the credential is limited to. */
async function callerItem({ database }: Resources, caller: Caller) {
  const { company, kind, label, expiresAt, storeIds, maySettings, session } = caller;
  return {
    company,
    kind,
    label,
    expiresAt: expiresAt === null ? null : utcText(expiresAt),
    stores: storeIds && (await storeFacts(database.kysely, caller)).map(({ sid }) => sid),
    settings: maySettings,
    session: session && { expiresAt: utcText(session.expiresAt) },
  };
}

export const getSession = route(
  {
    method: 'GET',
    path: '/v1/session',
    summary: 'Who the caller is',
    kinds: ['counts', 'life-signal', 'staff'],
    answer: callerShape,
  },
  async ({ caller }, resources) => callerItem(resources, caller),
);

const credential = Type.Object(
  {
    token: Type.String({
      description: 'a credential of kind staff',
      minLength: 1,
      maxLength: 4_096,
      writeOnly: true,
    }),
  },
  noOtherFields,
);

/** Exchanges a staff credential for a cookie; a session that was there before ends. */
export const signIn: HandledRoute = {
  method: 'POST',
  path: '/v1/session',
  summary: 'Sign a page in',
  kinds: [],
  body: credential,
  status: 201,
  answer: callerShape,
  handle: async (resources, request, reply) => {
    const { answers, callers, plainSignIn } = resources;
    requireSameSite(request);
    if (!plainSignIn && !isSecure(request) && !isLocal(request)) throw new Problem('insecure_request');
    const { token } = readBody(credential, request.body);
    const owner = await callers.signIn(token.trim(), request.ip);
    if (owner.kind !== 'staff') throw forbidden(['staff']);
    using _place = await answers.acquire(owner.companyId, untilClosed(reply));
    await closeSession(resources, request);
    const value = await newSession(resources, owner, request.ip);
    const caller = await callers.bySession(hashSecret(value));
    if (caller === undefined) throw new Problem('unauthenticated');
    return reply
      .status(201)
      .header('set-cookie', sessionCookie(value, sessionLength.unused, isSecure(request)))
      .send(await callerItem(resources, caller));
  },
};

/** Ends the session, if there is one. */
export const signOut: HandledRoute = {
  method: 'DELETE',
  path: '/v1/session',
  summary: 'Sign a page out',
  kinds: [],
  status: 204,
  answer: Type.Void(),
  handle: async (resources, request, reply) => {
    requireSameSite(request);
    await closeSession(resources, request);
    return reply
      .status(204)
      .header('set-cookie', sessionCookie('', 0, isSecure(request)))
      .send();
  },
};
