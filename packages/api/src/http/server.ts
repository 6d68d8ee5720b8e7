import { METHODS } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type CertificateFiles, keepTls, readCertificates } from '@visitor-counter/service/certificates';
import { codeOf } from '@visitor-counter/service/errors';
import { listenError, usableHost } from '@visitor-counter/service/listen';
import type { Logger } from '@visitor-counter/service/logger';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { methodNotAllowed, Problem } from '../problems/problems.ts';
import type { Timeouts } from './answer-body.ts';
import { addBodyParsers } from './request-body.ts';
import { type ApiInstruments, logFailure, RequestLog } from './request-log.ts';
import { answerHeaders, overTls, problemOf, sendProblem } from './send-problem.ts';

interface ServerOptions {
  readonly trustedProxies: readonly string[];
  readonly instruments: ApiInstruments;
  readonly log: Logger;
  readonly timeouts: Timeouts;
  /** HTTPS with these; HTTP without them. */
  readonly tls: CertificateFiles | undefined;
  /** Polling interval for changes of the certificates (ms). */
  readonly reloadInterval: number;
}

/** The largest request body (bytes). */
const bodyLimit = 64 * 1024;

/**
 * The longest path parameter (characters). A sid has at most 200, and a longer one gets 404; Node limits the whole head.
 */
const maxParamLength = 16_384;

/**
 * How long a connection may be idle between two requests (ms): longer than a proxy keeps one, which otherwise sends a request
 * on a connection that ends. Google's load balancer keeps them for 600 s, Caddy for 120, Traefik for 90, others for 60.
 */
const keepAliveTimeout = 620_000;

/** Lines of one kind in ten seconds: enough for a page that requests a store's number every second. */
const logLines = 100;

/**
 * A server that logs, counts and bounds every request, and answers paths and methods without a route. Throws
 * ConfigurationError for certificates that cannot be used.
 */
export async function createServer(options: ServerOptions) {
  const { instruments, timeouts, tls: files } = options;
  const log = new BoundedLog(options.log, { lines: logLines });
  const requests = new RequestLog(log, instruments);
  const certificates = files && (await readCertificates(files));
  const app = Fastify({
    bodyLimit,
    logger: false,
    trustProxy: [...options.trustedProxies],
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength },
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.stalled,
    keepAliveTimeout,
    http: httpOptions(timeouts),
    ...(certificates && { https: { ...httpOptions(timeouts), ...tlsOptions(timeouts), ...certificates } }),
    frameworkErrors: (error, request, reply) =>
      void sendProblem(request, reply, loggedProblem(error, request)),
  });
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ method, url }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  app.addHook('onRequest', async (request, reply) => {
    requests.begin(request, reply);
    reply.headers(answerHeaders);
    if (request.protocol === 'https') reply.headers(overTls);
    if (request.is404) throw new Problem('not_found');
  });
  if (files && certificates && app.server instanceof TlsServer) {
    const { reloadInterval: interval, log } = options;
    const onUse = instruments.certificatesUsed;
    keepTls({ server: app.server, files, current: certificates, interval, log, onUse });
  }
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, loggedProblem(error, request)));
  await addBodyParsers(app);
  return {
    app,
    loggedProblem,
    /** Logs the failure of an answer that had begun. */
    onBroken: (error: unknown) => logFailure(log, 'answer aborted', error),
    /** Answers the other methods of each path; called once, after all routes were added. */
    refuseOtherMethods: () => refuseOtherMethods(app, methods),
  };

  /** Counts and logs an error, and returns the problem that reports it to the caller. */
  function loggedProblem(error: unknown, request: FastifyRequest): Problem {
    const problem = problemOf(error, request, request.routeOptions?.bodyLimit ?? bodyLimit);
    if (isCallerGone(error, request)) return problem;
    requests.problem(request, problem.record);
    if (problem.record.status >= 500) logFailure(log, 'request failed', error);
    return problem;
  }
}

/** What Node checks itself, with and without TLS. */
function httpOptions({ headers }: Timeouts) {
  return {
    headersTimeout: headers,
    connectionsCheckingInterval: Math.ceil(headers / 10),
  };
}

/** Sockets as without TLS. */
function tlsOptions({ headers }: Timeouts) {
  return { allowHalfOpen: true, handshakeTimeout: headers };
}

/** Answers every method that a path has no route for. `methods`: those that it has, by path. */
function refuseOtherMethods(app: FastifyInstance, methods: ReadonlyMap<string, readonly string[]>): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  for (const [url, own] of [...methods]) {
    const refuse = async () => {
      throw methodNotAllowed(own.toSorted().join(', '));
    };
    const method = app.supportedMethods.filter((one) => !own.includes(one));
    app.route({ method, url, onRequest: refuse, handler: refuse });
  }
}

/** The caller closed the connection before the end of the answer, which is not a failure of the service. */
function isCallerGone(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.socket.destroyed || codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Returns the port. Throws ConfigurationError for one that cannot be used. `localhost` is its IPv4 address: fastify would listen
 * on the IPv6 one by a second server, which has none of the handlers above.
 */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : usableHost(host), port });
    const address = app.server.address();
    return typeof address === 'object' && address ? address.port : port;
  } catch (error) {
    throw error instanceof Error ? listenError(error, host, port, 'HTTP_PORT') : error;
  }
}

/** How long answers in progress may continue when the service stops (ms). */
const finishDeadline = 5_000;

/** Accepts no more requests and finishes the answers in progress; those that take too long are aborted. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), finishDeadline);
  await app.close();
  clearTimeout(late);
}
