import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLevel, BoundedLog } from '@visitor-counter/service/bounded-log';
import { addExpiryGauge } from '@visitor-counter/service/certificates';
import { codeOf } from '@visitor-counter/service/errors';
import { addCounters, addGauge, type Metrics } from '@visitor-counter/service/metrics';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Places } from '../access/places.ts';
import { type ProblemCode, problemTable } from '../problems/problem-table.ts';
import type { ProblemRecord } from '../problems/problems.ts';

/** Supervisors and open pages request these every few seconds; their lines would displace all others. */
const frequent: ReadonlySet<string> = new Set(['/health', '/live', '/ready', '/v1/live']);

/**
 * Logs and counts every request when its answer is over: no query string, no headers, no body.
 *
 * Requests that are served, refused, failed or aborted have different messages in the bounded log, so that guessed
 * credentials do not crowd out the lines of other requests.
 */
export class RequestLog {
  readonly #log: BoundedLog;
  readonly #instruments: ApiInstruments;
  readonly #problems = new WeakMap<FastifyRequest, ProblemRecord>();

  constructor(log: BoundedLog, instruments: ApiInstruments) {
    this.#log = log;
    this.#instruments = instruments;
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const start = performance.now();
    const page = pageOf(request);
    const over = this.#instruments.begun(page);
    reply.raw.once('close', () => {
      const problem = this.#problems.get(request);
      const end = endOf(reply, problem?.status);
      over(end);
      const { level, message } = frequent.has(page) ? probe : (messages[end] ?? served);
      const facts = {
        method: request.method,
        path: pathOf(request.url),
        status: reply.raw.headersSent ? reply.statusCode : undefined,
        code: problem?.code,
        complete: reply.raw.writableFinished,
        ms: Math.round(performance.now() - start),
        address: request.ip,
      };
      this.#log.write(level, facts, message);
    });
  }

  /** The request is answered with this problem. */
  problem(request: FastifyRequest, record: ProblemRecord): void {
    this.#problems.set(request, record);
    this.#instruments.problem(record.code);
  }
}

interface Line {
  readonly level: BoundedLevel;
  readonly message: string;
}

const probe: Line = { level: 'debug', message: 'probe' };

const served: Line = { level: 'info', message: 'request' };

const messages: Partial<Record<AnswerEnd, Line>> = {
  '4xx': { level: 'info', message: 'request refused' },
  '5xx': { level: 'warn', message: 'request answered with an error' },
  broken: { level: 'info', message: 'request not answered completely' },
};

/**
 * A SOAP fault always has status 500; the status of its problem distinguishes errors of the caller from those of the
 * service.
 */
function endOf({ raw, statusCode: sent }: FastifyReply, statusCode = sent): AnswerEnd {
  if (!raw.writableFinished) return 'broken';
  return `${Math.floor(statusCode / 100)}xx`;
}

/** The path without its query, cut so that a line stays a line. */
function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, 256);
}

/**
 * The requested page, as a label and for the log: the name of an operation; `Service.asmx`; else the path of the route as
 * OpenAPI writes it, such as `/v1/stores/{sid}`; `other` without a route. Never text that the caller chose.
 */
function pageOf(request: FastifyRequest): string {
  if (request.is404) return 'other';
  const { url = '' } = request.routeOptions;
  if (url.startsWith('/assets/')) return '/assets';
  if (!url.includes('/:service(')) return url.replace(/:(\w+)/g, '{$1}');
  const last = url.slice(url.lastIndexOf('/') + 1);
  return last.startsWith(':') ? 'Service.asmx' : last;
}

/**
 * The class of the status, or `broken` for an answer that was not sent completely: it failed, or the caller disconnected.
 */
type AnswerEnd = `${number}xx` | 'broken';

/** Answers about today take milliseconds; a range may take as long as its caller takes to read it. */
const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

interface WatchedPlaces {
  readonly exports: Places;
  readonly answers: Places;
}

export type ApiInstruments = ReturnType<typeof apiInstruments>;

/** The metrics of the api. */
export function apiInstruments(registry: Metrics) {
  const registers = [registry];
  const name = (rest: string) => `visitor_counter_api_${rest}`;
  const requests = new Counter({
    name: name('requests_total'),
    help: 'Requests, by operation or path and by how the answer ended.',
    registers,
    labelNames: ['page', 'end'],
  });
  const seconds = new Histogram({
    name: name('request_seconds'),
    help: 'Time from a request to the end of its answer.',
    registers,
    labelNames: ['page'],
    buckets: secondBuckets,
  });
  const inFlight = new Gauge({
    name: name('requests_in_flight'),
    help: 'Requests not yet answered.',
    registers,
  });
  const codes = Object.keys(problemTable) as ProblemCode[];
  return {
    /** Counts a request that begins. The function it returns must be called when the answer has ended. */
    begun: (page: string) => {
      inFlight.inc();
      const took = seconds.startTimer({ page });
      return (end: AnswerEnd) => {
        inFlight.dec();
        took();
        requests.inc({ page, end });
      };
    },
    /** A problem was answered. */
    problem: addCounters(
      registry,
      name('problems_total'),
      'Problem records answered, by code.',
      'code',
      codes,
    ),
    /** Certificates that expire at this instant (Unix time, s) are in use. */
    certificatesUsed: addExpiryGauge(registry, name('certificate_expires_seconds')),
    /** Adds gauges of the places and of the pool; called once. */
    watch: ({ exports, answers }: WatchedPlaces, { pool }: Database) => {
      const gauge = (rest: string, help: string, read: () => number) =>
        addGauge(registry, name(rest), help, read);
      gauge('exports_running', 'Date ranges being read.', () => exports.load.running);
      gauge(
        'exports_waiting',
        'Requests for a date range that wait for a place.',
        () => exports.load.waiting,
      );
      gauge('answers_running', 'Other answers being made.', () => answers.load.running);
      gauge('answers_waiting', 'Other requests that wait for a place.', () => answers.load.waiting);
      gauge('database_connections', 'Connections to the database.', () => pool.totalCount);
      gauge('database_idle', 'Idle connections to the database.', () => pool.idleCount);
      const waiting = 'Requests that wait for a connection to the database.';
      /* A request also waits for a tick while a connection is idle, such as the check of readiness in each scrape. */
      gauge('database_waiting', waiting, () => Math.max(0, pool.waitingCount - pool.idleCount));
    },
  };
}

/**
 * Logs a failure of the service's own, bounded since every request may cause one. The name and the code are
 * for the operator; the message of an error out of the database can quote values, so it and the stack are for
 * `LOG_LEVEL=debug`.
 */
export function logFailure(log: BoundedLog, message: string, error: unknown, about: object = {}): void {
  const name = error instanceof Error ? error.name : typeof error;
  const code = codeOf(error);
  log.write('error', { ...about, error: name, code }, message);
  if (error instanceof Error)
    log.write('debug', { error: name, code, stack: error.stack }, `${message}: stack`);
}
