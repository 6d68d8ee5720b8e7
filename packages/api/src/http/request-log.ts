import type { Logger } from '@visitor-counter/service/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line for every request when its answer is over: no query string, no headers, no body. */
export function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const start = performance.now();
  reply.raw.once('close', () => {
    log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.raw.headersSent ? reply.statusCode : undefined,
        complete: reply.raw.writableFinished,
        ms: Math.round(performance.now() - start),
        address: request.ip,
      },
      'request',
    );
  });
}

/** The path without its query, cut so that a line stays a line. */
export function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, 256);
}
