import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isCancelled, isDatabaseUnavailable, isLockBusy } from '@visitor-counter/database/sql/unavailable';
import { codeOf } from '@visitor-counter/service/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredFormat } from '../formats/formats.ts';
import { problemXml } from '../formats/xml.ts';
import * as problems from '../problems/problems.ts';
import { Problem } from '../problems/problems.ts';

/** On every answer: it depends on these request headers, must not be cached, and is of no other type than it says. */
export const answerHeaders = {
  vary: 'Accept, Accept-Encoding',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** On every answer over TLS (RFC 6797): for a year browsers use nothing else for this host. */
export const overTls = { 'strict-transport-security': 'max-age=31536000' } as const;

const problemMediaType = 'application/problem+json; charset=utf-8';
const problemXmlMediaType = 'application/problem+xml; charset=utf-8';

/** The problem that reports an error to the caller; `internal_error` for an unexpected one. */
export function problemOf(error: unknown, request: FastifyRequest, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problems.payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problems.unsupportedMediaType();
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return new Problem('not_found');
  if (isCancelled(error)) return new Problem('database_too_slow');
  /* A caller that disconnected in the middle of its request; its errors look like those of a lost database. */
  if (!request.raw.complete) return new Problem('malformed_request');
  return isDatabaseUnavailable(error) || isLockBusy(error)
    ? new Problem('database_unavailable')
    : new Problem('internal_error');
}

/** Answers with a problem: XML if the caller prefers it, otherwise JSON. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { record, headers } = problem;
  const asXml = preferredFormat(request.headers) === 'xml';
  return reply
    .status(record.status)
    .headers({ ...answerHeaders, ...headers })
    .type(asXml ? problemXmlMediaType : problemMediaType)
    .send(asXml ? problemXml(record) : JSON.stringify(record));
}

/** How long a connection is read after its last answer (ms): closing it with unread bytes would take the answers back. */
const lingering = 2_000;

/**
 * Answers requests that Node's HTTP parser rejects, for which there is no request object, and closes the connection. The
 * answers to the requests before it are completed first: a caller that reads an error instead repeats a write that happened.
 */
export class ClientErrors {
  /** The last answer of each connection; when it has ended, those before it have as well. */
  readonly #last = new WeakMap<Socket, ServerResponse>();
  /** Connections that are not read any more. Node reports each piece of bytes that follows. */
  readonly #rejected = new WeakSet<Socket>();
  readonly #onProblem: (code: string) => void;

  /** `onProblem` receives the code of each answer. */
  constructor(onProblem: (code: string) => void) {
    this.#onProblem = onProblem;
  }

  watch(server: Server): void {
    /* Node would close a connection whose caller sends no more, and answers in progress would be lost. */
    Object.assign(server, { httpAllowHalfOpen: true });
    const remember = ({ socket }: IncomingMessage, answer: ServerResponse) => {
      if (!this.#last.has(socket)) socket.once('end', () => this.#left(socket));
      this.#last.set(socket, answer);
    };
    server.on('request', remember);
    server.on('checkExpectation', remember);
    /* Without a listener Node closes the connection, and answers in progress are lost. */
    server.on('connect', ({ socket }: IncomingMessage) => this.answer({}, socket.resume()));
  }

  /** A caller that sends no more has left, unless it waits for the result of a write. */
  #left(socket: Socket): void {
    const { method, url } = this.#last.get(socket)?.req ?? {};
    const isWrite = method !== 'GET' && url?.startsWith('/v1/');
    if (!isWrite && !this.#rejected.has(socket)) socket.end();
  }

  /** `code` is that of Node's error. */
  answer({ code }: { code?: string }, socket: Socket): void {
    if (this.#rejected.has(socket)) return;
    this.#rejected.add(socket);
    const last = this.#last.get(socket);
    const end = () => this.#end(socket, last?.req.complete === false ? undefined : clientProblem(code));
    if (last === undefined || last.writableFinished) end();
    else if (last.req.complete || last.headersSent) last.once('finish', end);
    else if (socket.writable) this.#answerIncomplete(last, clientProblem(code));
  }

  /** Ends a connection whose answers are complete, with a problem unless it is about a request that has its answer. */
  #end(socket: Socket, problem: Problem | undefined): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    if (problem) this.#onProblem(problem.code);
    socket.end(problem ? rawAnswer(problem, socket instanceof TLSSocket ? overTls : {}) : '');
    setTimeout(() => socket.destroy(), lingering).unref();
  }

  /** Answers a request whose body cannot be read, after the requests before it. */
  #answerIncomplete(answer: ServerResponse, problem: Problem): void {
    this.#onProblem(problem.code);
    const { head, body } = jsonAnswer(problem);
    const more = answer.req.socket instanceof TLSSocket ? overTls : {};
    answer.writeHead(problem.record.status, { ...head, ...more, connection: 'close' }).end(body);
  }
}

function clientProblem(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return new Problem('unsupported_transfer_encoding');
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large');
  return new Problem('malformed_request');
}

function rawAnswer(problem: Problem, more: Readonly<Record<string, string>>): string {
  const { status, title } = problem.record;
  const { head, body } = jsonAnswer(problem);
  const lines = Object.entries({ ...head, ...more, connection: 'close' });
  return [`HTTP/1.1 ${status} ${title}`, ...lines.map((line) => line.join(': ')), '', body].join('\r\n');
}

function jsonAnswer({ record, headers }: Problem) {
  const body = JSON.stringify(record);
  const about = { 'content-type': problemMediaType, 'content-length': Buffer.byteLength(body) };
  return { head: { ...answerHeaders, ...about, ...headers }, body };
}

/**
 * Answers requests with an `Expect` that is not `100-continue`, which Node does without a problem record.
 * `onProblem` receives the code of the answer.
 */
export function answerExpectations(server: Server, onProblem: (code: string) => void): void {
  server.on('checkExpectation', (_request: IncomingMessage, answer: ServerResponse) => {
    const problem = new Problem('expectation_failed');
    onProblem(problem.code);
    const { head, body } = jsonAnswer(problem);
    answer.writeHead(problem.record.status, head).end(body);
  });
}
