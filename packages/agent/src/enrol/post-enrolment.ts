import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { ntpSynchronised } from '../clock/machine-clock.ts';
import { datelessSocketTo, isCertificateValidAt, isDateError } from '../uplink/server-socket.ts';
import { EnrolmentRefused, ServerUnavailable } from './enrol-errors.ts';
import type { ServerAddress } from './find-anchor.ts';

const Enrolled = Type.Object({
  serial: Type.String({ minLength: 1 }),
  server: Type.String({ minLength: 1 }),
  ca: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
});

/** The answer to a successful enrolment. */
export type Enrolled = Static<typeof Enrolled>;

const enrolled = Compile(Enrolled);
const problem = Compile(Type.Object({ code: Type.String(), detail: Type.String() }));

const path = '/v1/enrolment';

/** How long the server may take to answer (ms). */
const patience = 60_000;

type Asked = { readonly code: string; readonly serial: string; readonly secretHash: string };

/**
 * Enrols at a server that `anchor` (PEM) vouches for. While the clock of this machine is not set, the dates of
 * certificates are judged by the time that the server reports instead. Throws EnrolmentRefused, ServerUnavailable.
 */
export async function postEnrolment(server: ServerAddress, anchor: string, asked: Asked): Promise<Enrolled> {
  const post = async (socket?: Socket) => {
    const answer = await requestOf(server, anchor, {
      method: 'POST',
      path,
      body: JSON.stringify(asked),
      socket,
    });
    return readAnswer(answer.status, answer.body);
  };
  try {
    return await post();
  } catch (error) {
    if (!isDateError(error) || (await ntpSynchronised())) throw error;
    const socket = await connectDateless(server, anchor);
    const { date } = await requestOf(server, anchor, { method: 'HEAD', path: '/', socket });
    if (!isCertificateValidAt(socket, date)) {
      const reported = Number.isNaN(date) ? 'reports no time' : `reports ${new Date(date).toISOString()}`;
      throw new ServerUnavailable(`its certificate is not valid by its own time: it ${reported}.`, {
        cause: error,
      });
    }
    return post(await connectDateless(server, anchor));
  }
}

async function connectDateless({ host, port }: ServerAddress, anchor: string): Promise<Socket> {
  const url = `mqtts://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const open = await datelessSocketTo(url, anchor, AbortSignal.timeout(patience)).catch((cause: Error) => {
    throw new ServerUnavailable(`${host}:${port}: ${cause.message}`, { cause });
  });
  return open();
}

interface Asking {
  readonly method: 'POST' | 'HEAD';
  readonly path: string;
  readonly body?: string;
  /** Connected already; otherwise a connection is opened, with all checks. */
  readonly socket?: Socket | undefined;
}

/** The answer to one request; `date` is the time of the server (epoch ms), NaN where it does not report it. */
async function requestOf(
  { host, port }: ServerAddress,
  anchor: string,
  { method, path, body = '', socket }: Asking,
): Promise<{ readonly status: number; readonly body: string; readonly date: number }> {
  const outgoing = request({
    ...{ host, port, method, path },
    ...(socket ? { createConnection: () => socket } : { agent: false }),
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
    const date = Date.parse(answer.headers.date ?? '');
    return { status: answer.statusCode ?? 0, body: await text(answer), date };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServerUnavailable(`${host}:${port}: ${reason}`, { cause });
  } finally {
    outgoing.on('error', () => {});
    outgoing.destroy();
  }
}

function readAnswer(status: number, body: string): Enrolled {
  const value = parsed(body);
  if (status === 200 && enrolled.Check(value)) return value;
  const detail = problem.Check(value) ? value.detail : `the server answered with status ${status}`;
  if (status === 429 || status >= 500) throw new ServerUnavailable(detail);
  throw new EnrolmentRefused(problem.Check(value) ? value.code : 'unexpected', detail);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
