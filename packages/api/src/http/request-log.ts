import type { BoundedLevel, BoundedLog } from '@visitor-counter/service/bounded-log';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemRecord } from '../problems/problem.ts';
import type { AnswerEnd, ApiInstruments } from './api-instruments.ts';

/** Supervisors request these every few seconds, which would crowd out all other lines. */
const probes: ReadonlySet<string> = new Set(['health', 'live', 'ready']);

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
      const { level, message } = probes.has(page) ? probe : messages[end];
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

const messages: Readonly<Record<AnswerEnd, Line>> = {
  '1xx': served,
  '2xx': served,
  '3xx': served,
  '4xx': { level: 'info', message: 'request refused' },
  '5xx': { level: 'warn', message: 'request answered with an error' },
  broken: { level: 'info', message: 'request not answered completely' },
};

/** A SOAP fault is always status 500; the status of its problem says whose error it is. */
function endOf({ raw, statusCode: sent }: FastifyReply, statusCode = sent): AnswerEnd {
  if (!raw.writableFinished) return 'broken';
  if (statusCode < 200) return '1xx';
  if (statusCode < 300) return '2xx';
  if (statusCode < 400) return '3xx';
  return statusCode < 500 ? '4xx' : '5xx';
}

/** The path without its query, cut so that a line stays a line. */
export function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, 256);
}

/**
 * The requested page, as a label and for the log: the last segment of the route, which is the name of an operation; `other` without a route. Never text that the caller chose.
 */
function pageOf(request: FastifyRequest): string {
  if (request.is404) return 'other';
  const { url = '' } = request.routeOptions;
  const last = url.slice(url.lastIndexOf('/') + 1);
  return last.startsWith(':') ? 'service' : last || 'root';
}
