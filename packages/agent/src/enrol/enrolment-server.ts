import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { fingerprintText } from '@visitor-counter/domain/enrolment-code';
import { keyHash } from '@visitor-counter/service/certificates';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { reasonOf } from '@visitor-counter/service/errors';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  datelessSocketTo,
  isCertificateValidAt,
  isDateError,
  trustedCertificates,
} from '../uplink/server-socket.ts';

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

/** The server cannot be reached, or cannot answer now: to be tried again with the same code. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
  readonly code = 'server-unavailable';
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** How long a handshake may take, and how long the server may take to answer (ms). */
const handshakeWithin = 15_000;
const answerWithin = 60_000;

/**
 * The certificate in a server's chain whose key has a fingerprint, for connections that are verified by it. Nothing is
 * sent on this one. Throws EnrolmentRefused if there is none, ServerUnavailable.
 */
export async function findAnchor(server: ServerAddress, fingerprint: string): Promise<X509Certificate> {
  const chain = await chainOf(server);
  const anchor = chain.find((certificate) => fingerprintText(keyHash(certificate)) === fingerprint);
  if (anchor) return anchor;
  const subjects = chain.map(({ subject }) => subject.replaceAll('\n', ', ')).join(' < ');
  throw new EnrolmentRefused(
    'other-server',
    `${server.host}:${server.port} is not the server that this code is for, so nothing was sent. It shows: ${subjects}. \
If it is the right one, its file of certificates lacks the CA.`,
  );
}

async function chainOf({ host, port }: ServerAddress): Promise<X509Certificate[]> {
  const ca = [...(await trustedCertificates())];
  const socket = connect({ host, port, ...serverName(host), ca, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(handshakeWithin) });
    return certificatesOf(socket);
  } catch (cause) {
    throw unavailable(`no TLS connection to ${host}:${port}`, cause);
  } finally {
    // An error that comes after the certificates must not end the process.
    socket.on('error', () => {}).destroy();
  }
}

/** From the server's own upwards, with the trusted root where the system has it. */
function certificatesOf(socket: TLSSocket): X509Certificate[] {
  const chain = new Map<string, X509Certificate>();
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw && !chain.has(next.fingerprint256)) {
    chain.set(next.fingerprint256, new X509Certificate(next.raw));
    next = next.issuerCertificate;
  }
  return [...chain.values()];
}

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
 * Enrols at a server that `anchor` (PEM) vouches for. While the clock of this machine is not set, the dates of
 * certificates are judged by the time that the server reports instead. Throws EnrolmentRefused, ServerUnavailable.
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
  /** The time of the server (epoch ms), NaN where it does not report it. */
  readonly date: number;
}

/** The answer to one request, over `socket` if that is connected already, else over a connection with all checks. */
async function requestOf(
  { host, port }: ServerAddress,
  anchor: string,
  { method, path, body = '', socket }: { method: string; path: string; body?: string; socket?: Socket },
): Promise<Answer> {
  const outgoing = request({
    ...{ host, port, method, path, ...serverName(host) },
    ...(socket ? { createConnection: () => socket } : { agent: false }),
    /* The code may be bound to a certificate that is no root. */
    ...{ ca: anchor, allowPartialTrustChain: true },
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  try {
    outgoing.end(body);
    const signal = AbortSignal.timeout(answerWithin);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response', { signal });
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

/** An address is not a name that a certificate could be for. */
function serverName(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

function unavailable(what: string, cause: unknown): ServerUnavailable {
  const reason = reasonOf(cause);
  return new ServerUnavailable(`${what}: ${reason}`, { cause });
}
