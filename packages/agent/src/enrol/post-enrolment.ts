import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { EnrolmentRefused, ServerAway } from './enrol-errors.ts';
import type { ServerAddress } from './find-anchor.ts';

const Enrolled = Type.Object({
  serial: Type.String({ minLength: 1 }),
  server: Type.String({ minLength: 1 }),
  ca: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
});

/** What a unit is told that has enrolled. */
export type Enrolled = Static<typeof Enrolled>;

const enrolled = Compile(Enrolled);
const problem = Compile(Type.Object({ code: Type.String(), detail: Type.String() }));

/** How long the server may take to answer (ms). */
const patience = 60_000;

/** Enrols at a server that `anchor` (PEM) vouches for. Throws EnrolmentRefused, ServerAway. */
export async function postEnrolment(
  { host, port }: ServerAddress,
  anchor: string,
  asked: { readonly code: string; readonly serial: string; readonly secretHash: string },
): Promise<Enrolled> {
  const body = JSON.stringify(asked);
  const outgoing = request({
    ...{ host, port, method: 'POST', path: '/v1/enrolment', agent: false },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    /* The code may be bound to a certificate that is no root. */
    ...{ ca: anchor, allowPartialTrustChain: true },
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  try {
    outgoing.end(body);
    const signal = AbortSignal.timeout(patience);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response', { signal });
    if (answer === undefined) throw new Error('no answer');
    return readAnswer(answer.statusCode ?? 0, await text(answer));
  } catch (cause) {
    if (cause instanceof EnrolmentRefused || cause instanceof ServerAway) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServerAway(`${host}:${port}: ${reason}`, { cause });
  } finally {
    outgoing.on('error', () => {});
    outgoing.destroy();
  }
}

function readAnswer(status: number, body: string): Enrolled {
  const value = parsed(body);
  if (status === 200 && enrolled.Check(value)) return value;
  const detail = problem.Check(value) ? value.detail : `the server answered with status ${status}`;
  if (status === 429 || status >= 500) throw new ServerAway(detail);
  throw new EnrolmentRefused(problem.Check(value) ? value.code : 'unexpected', detail);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
