import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type EnrolmentCode, parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { datelessSocketTo, isCertificateValidAt, isDateError, serverName } from '../uplink/server-socket.ts';

/** The enrolment is refused; a retry without a change fails again. The message says why. */
export class EnrolmentRefused extends Error {
  override readonly name = 'EnrolmentRefused';
  readonly code: string;

  /** `code`: of the server's problem record, or `other-server`. */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server cannot be reached, or cannot answer now. The caller should try again with the same code. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
  readonly code = 'server-unavailable';
}

/** A server at which units enrol. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The address in the option `--server`. Throws ConfigurationError. */
export function addressOf(server: string): ServerAddress {
  const url = URL.parse(server);
  if (
    url?.protocol !== 'https:' ||
    url.hostname === '' ||
    url.username !== '' ||
    url.pathname !== '/' ||
    /\s/.test(server)
  ) {
    throw new ConfigurationError('--server', server, 'https://host or https://host:port');
  }
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || 443) };
}

/** The code that an installer has entered. Throws ConfigurationError. */
export function codeOf(typed: string): EnrolmentCode {
  const code = parseEnrolmentCode(typed);
  if (code) return code;
  throw new ConfigurationError('--code', '…', 'six groups of five characters; one of these is mistyped');
}

/** How long the server may take to answer (ms). */
const answerWithin = 60_000;

const Enrolled = Type.Object({
  serial: Type.String({ minLength: 1 }),
  server: Type.String({ minLength: 1 }),
  ca: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
});

type Enrolled = Static<typeof Enrolled>;

const enrolled = Compile(Enrolled);
const problem = Compile(Type.Object({ code: Type.String(), detail: Type.String() }));

interface EnrolmentRequest {
  readonly code: string;
  readonly serial: string;
  readonly secretHash: string;
}

/**
 * Enrols at a server whose certificate is verified with `anchor` (PEM). While the clock of this machine is not set, the
 * dates of certificates are judged by the time that the server reports instead. Throws EnrolmentRefused,
 * ServerUnavailable.
 */
export async function postEnrolment(
  server: ServerAddress,
  anchor: string,
  body: EnrolmentRequest,
): Promise<Enrolled> {
  const post = { method: 'POST', path: '/v1/enrolment', body: JSON.stringify(body) };
  try {
    return readAnswer(await requestOf(server, anchor, post));
  } catch (error) {
    if (!isDateError(error) || (await isClockSynchronised())) throw error;
    const socket = await connectDateless(server, anchor);
    const { date } = await requestOf(server, anchor, { method: 'HEAD', path: '/', socket });
    if (!isCertificateValidAt(socket, date)) {
      const reported = Number.isNaN(date) ? 'reports no time' : `reports ${new Date(date).toISOString()}`;
      throw new ServerUnavailable(`its certificate is not valid by its own time: it ${reported}.`, {
        cause: error,
      });
    }
    const again = { ...post, socket: await connectDateless(server, anchor) };
    return readAnswer(await requestOf(server, anchor, again));
  }
}

async function connectDateless({ host, port }: ServerAddress, anchor: string): Promise<Socket> {
  const url = `mqtts://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const signal = AbortSignal.timeout(answerWithin);
  const open = await datelessSocketTo(url, anchor, signal).catch((cause: unknown) => {
    throw unavailable(`${host}:${port}`, cause);
  });
  return open();
}

interface Answer {
  readonly status: number;
  readonly body: string;
  /** The time of the server (epoch ms), NaN if it does not report it. */
  readonly date: number;
}

/** The answer to one request, over `socket` if that is connected already, else over a connection with all checks. */
async function requestOf(
  { host, port }: ServerAddress,
  anchor: string,
  { method, path, body = '', socket }: { method: string; path: string; body?: string; socket?: Socket },
): Promise<Answer> {
  const outgoing = request({
    host,
    port,
    method,
    path,
    ...serverName(host),
    ...(socket ? { createConnection: () => socket } : { agent: false }),
    /* The code may be bound to a certificate that is not a root. */
    ca: anchor,
    allowPartialTrustChain: true,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    /* Also while the body of the answer arrives. */
    signal: AbortSignal.timeout(answerWithin),
  });
  try {
    outgoing.end(body);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    if (answer === undefined) throw new Error('no answer');
    const date = Date.parse(answer.headers.date ?? '');
    return { status: answer.statusCode ?? 0, body: await text(answer), date };
  } catch (cause) {
    throw unavailable(`${host}:${port}`, cause);
  } finally {
    outgoing.on('error', () => {});
    outgoing.destroy();
  }
}

function readAnswer({ status, body }: Answer): Enrolled {
  const value = parsedJson(body);
  if (status === 200 && enrolled.Check(value)) return value;
  const detail = problem.Check(value) ? value.detail : `the server answered with status ${status}`;
  if (status === 429 || status >= 500) throw new ServerUnavailable(detail);
  throw new EnrolmentRefused(problem.Check(value) ? value.code : 'unexpected', detail);
}

export function unavailable(what: string, cause: unknown): ServerUnavailable {
  return new ServerUnavailable(`${what}: ${reasonOf(cause)}`, { cause });
}
