import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';

/** Some text or bytes of an answer. */
type Piece = string | Uint8Array;

interface AnswerOptions {
  readonly timeouts: Pick<Timeouts, 'stalled'>;
  /** Receives the error of an answer that failed after it had begun. */
  readonly onBroken: (error: unknown) => void;
}

/**
 * Sends an answer piece by piece, no faster than the caller reads it, and makes no more pieces once the caller has
 * disconnected. An error before the first piece is thrown; a later one aborts the connection, so that no caller mistakes half
 * an answer for a whole one.
 */
export async function sendPieces(
  reply: FastifyReply,
  mediaType: string,
  pieces: AsyncGenerator<Piece, void>,
  options: AnswerOptions,
): Promise<FastifyReply> {
  const first = await pieces.next();
  const body = Readable.from(boundedPieces(first, pieces, reply.raw, options));
  /* Also for a caller that has left before the first piece: a generator that has not begun runs no `finally`. */
  body.once('close', () => void pieces.return().catch(options.onBroken));
  reply.type(mediaType);
  if (!prefersGzip(reply.request.headers)) return reply.send(body);
  /* Each piece is flushed: the first one must not wait for the others. */
  const gzip = createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH });
  return reply.header('content-encoding', 'gzip').send(pipeline(body, gzip, () => {}));
}

/** Passes on pieces, and disconnects a caller that has not taken one in time, so that others get its place. */
async function* boundedPieces(
  first: IteratorResult<Piece, void>,
  pieces: AsyncGenerator<Piece, void>,
  raw: ServerResponse,
  { timeouts, onBroken }: AnswerOptions,
): AsyncGenerator<Piece, void> {
  let late: NodeJS.Timeout | undefined;
  try {
    for (let next = first; !next.done; next = await pieces.next()) {
      late = setTimeout(() => raw.destroy(), timeouts.stalled);
      yield next.value;
      clearTimeout(late);
    }
  } catch (error) {
    if (!raw.destroyed) {
      onBroken(error);
      /* TLS has no reset; what is missing there is the end of the answer. */
      if (raw.socket instanceof TLSSocket) raw.destroy();
      else raw.socket?.resetAndDestroy();
    }
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Aborted when the answer has ended, also when it was complete. */
export function untilClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  /* The response of a caller that has disconnected already does not emit close again. */
  if (raw.destroyed) closed.abort();
  else raw.once('close', () => closed.abort());
  return closed.signal;
}

/** Fast rather than small: the lowest level compresses an answer to a tenth, at twice the speed of the default level. */
export const gzipLevel = constants.Z_BEST_SPEED;

/** Whether `Accept-Encoding` prefers gzip; not without the header. */
export function prefersGzip(headers: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers }).encodings(['gzip', 'identity'])[0] === 'gzip';
}

/** How long a caller may take (ms). */
export interface Timeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** To read anything of an answer that is in progress, and to read a piece of 64 KiB of a range. */
  readonly stalled: number;
}

export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, stalled: 60_000 };
