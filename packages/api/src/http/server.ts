import type { IncomingMessage } from 'node:http';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { CertificateFiles } from '@visitor-counter/service/tls/certificate-files';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Operation } from '../asmx/operations/operation.ts';
import { addRoutes } from '../asmx/routes.ts';
import type { XmlNames } from '../formats/xml-names.ts';
import type { Problem } from '../problems/problem.ts';
import { malformedRequest } from '../problems/problems.ts';
import { addV1, methodsOfV1, type V1 } from '../v1/add-v1.ts';
import type { ApiInstruments } from './api-instruments.ts';
import type { Availability } from './availability.ts';
import { addBodyParsers } from './body-parsers.ts';
import { answerClientError, answerExpectations } from './client-error.ts';
import { logFailure } from './log-failure.ts';
import { RequestLog } from './request-log.ts';
import { secureServers } from './secure-server.ts';
import { answerHeaders, overTls, problemOf, sendProblem } from './send-problem.ts';
import { defaultTimeouts, type Timeouts } from './timeouts.ts';

export interface ServerOptions {
  readonly pathId: string;
  readonly trustedProxies: readonly string[];
  readonly operations: readonly Operation[];
  readonly v1: V1;
  readonly availability: Availability;
  readonly instruments: ApiInstruments;
  /** Whether requests wait for the place of an answer that is being read. */
  readonly othersWait: () => boolean;
  readonly xml: XmlNames;
  readonly log: Logger;
  readonly timeouts?: Partial<Timeouts>;
  /** HTTP over TLS by these; without them HTTP. */
  readonly tls: CertificateFiles | undefined;
  /** How often they are looked at (ms). */
  readonly reloadInterval: number;
}

/** The largest request body (bytes). */
const bodyLimit = 64 * 1024;

/** Of a part of the path (characters): a sid has up to 200 and longer ones are no store's; Node bounds the whole head. */
const maxParamLength = 16_384;

/** Lines of one kind in ten seconds: a page that asks for a store's number every second is still all there. */
const logLines = 100;

/** The public HTTP interface, ready to listen. Throws ConfigurationError for certificates that cannot be used. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { instruments } = options;
  const log = new BoundedLog(options.log, { lines: logLines });
  const requests = new RequestLog(log, instruments);
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { tls: files, reloadInterval } = options;
  const secure = files && { files, reloadInterval, timeouts, log: options.log };
  const app = Fastify({
    bodyLimit,
    logger: false,
    trustProxy: [...options.trustedProxies],
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength },
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.stalled,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: Math.ceil(timeouts.headers / 10),
      requireHostHeader: false,
    },
    ...(secure && { serverFactory: await secureServers(secure) }),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, instruments.problem),
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, problemFor(error, request)),
  });
  app.addHook('onRequest', async (request, reply) => {
    requests.begin(request, reply);
    reply.headers(answerHeaders);
    if (request.protocol === 'https') reply.headers(overTls);
    requireHost(request.raw);
  });
  answerExpectations(app.server, instruments.problem);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, problemFor(error, request)));
  await addBodyParsers(app);
  const onBroken = (error: unknown) => logFailure(log, 'answer aborted', error);
  addRoutes(app, { ...options, timeouts, problemFor, onBroken, methodsElsewhere: methodsOfV1() });
  await addV1(app, options.v1, options.availability);
  return app;

  function problemFor(error: unknown, request: FastifyRequest): Problem {
    const problem = problemOf(error, request, bodyLimit);
    requests.problem(request, problem.record);
    if (problem.record.status >= 500 && !isCallerGone(error)) logFailure(log, 'request failed', error);
    return problem;
  }
}

/** As RFC 9112 (3.2) demands of HTTP/1.1. Node would refuse such a request by itself, but without a record. */
function requireHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw malformedRequest('An HTTP/1.1 request has a Host header field.');
  }
}

/** The caller closed the connection while the answer was on its way: their right, and no failure of ours. */
function isCallerGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
