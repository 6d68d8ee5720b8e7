import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, type Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import type { Piece } from '../formats/write-records.ts';

/** Polling interval for other requests that wait (ms). */
const pollInterval = 500;

/**
 * The body of an answer that is written piece by piece, no faster than the caller reads it: one piece is in flight while
 * the next one is made. Every method rejects once the caller has disconnected, also when it was disconnected because it
 * reads too slowly.
 */
export class AnswerBody {
  readonly #raw: ServerResponse;
  readonly #out: Writable;
  readonly #flush: () => void;
  readonly #readingTime: ReadingTime;
  readonly #contested: number;
  readonly #isPlaceAwaited: () => boolean;
  #writing = Promise.resolve();
  /** Of the piece in flight. */
  #bytes = 0;
  #reject: (reason: Error) => void = () => {};

  /**
   * Bypasses the framework, and sends the head with the first piece. `isPlaceAwaited` is whether requests wait for the
   * place of this answer.
   */
  constructor(reply: FastifyReply, mediaType: string, timeouts: Timeouts, isPlaceAwaited: () => boolean) {
    reply.hijack();
    this.#readingTime = new ReadingTime(timeouts);
    this.#contested = timeouts.contested;
    this.#isPlaceAwaited = isPlaceAwaited;
    this.#raw = reply.raw;
    this.#raw.once('close', () => this.#reject(new Error('the caller has disconnected')));
    const gzip = prefersGzip(reply.request.headers) ? createGzip({ level: gzipLevel }) : undefined;
    reply.type(mediaType);
    if (gzip) reply.header('content-encoding', 'gzip');
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) this.#raw.setHeader(name, value);
    }
    this.#out = gzip ?? this.#raw;
    this.#flush = () => gzip?.flush(constants.Z_SYNC_FLUSH);
    if (gzip) pipeline(gzip, this.#raw, () => {});
  }

  /** Whether the caller disconnected before the end. */
  get abandoned(): boolean {
    return this.#raw.destroyed;
  }

  /** Writes the first piece and flushes it, also through a compressor. */
  async begin(piece: Piece): Promise<void> {
    await this.write(piece);
    this.#flush();
  }

  /** Resolves when the piece before this one is written, so that its memory may be used again. */
  async write(piece: Piece): Promise<void> {
    await this.#untilWritten(this.#writing);
    this.#writing = this.#completion((done) => this.#out.write(piece, done));
    this.#writing.catch(() => {});
    this.#bytes = piece.length;
  }

  async end(): Promise<void> {
    await this.#untilWritten(this.#writing);
    this.#bytes = 0;
    await this.#untilWritten(
      this.#completion((done) => {
        this.#raw.once('finish', done);
        this.#out.end();
      }),
    );
  }

  /** Waits until the piece in flight is written; disconnects a caller that is too slow. */
  async #untilWritten(writing: Promise<void>): Promise<void> {
    const begin = performance.now();
    const late = setTimeout(() => this.#raw.destroy(), this.#readingTime.left);
    const polling = setInterval(
      () => {
        if (performance.now() - begin >= this.#contested && this.#isPlaceAwaited()) this.#raw.destroy();
      },
      Math.min(this.#contested, pollInterval),
    );
    try {
      await writing;
    } finally {
      clearTimeout(late);
      clearInterval(polling);
    }
    this.#readingTime.delivered(this.#bytes, performance.now() - begin);
  }

  #completion(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.abandoned) reject(new Error('the caller has disconnected'));
      else act((error) => (error ? reject(error) : resolve()));
    });
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

/**
 * The most reading time that a fast caller accumulates, as a multiple of the grace: the buffers of a connection accept
 * megabytes at once.
 */
const savings = 10;

/**
 * How much longer an answer waits for its caller. A caller that reads at the lowest rate or faster always has time left,
 * however long the answer is; a slower one occupies the database for a bounded time.
 */
export class ReadingTime {
  readonly #lowestRate: number;
  readonly #most: number;
  #left: number;

  constructor({ grace, lowestRate }: Pick<Timeouts, 'grace' | 'lowestRate'>) {
    this.#left = grace;
    this.#most = savings * grace;
    this.#lowestRate = lowestRate;
  }

  /** ms; 0 when there is none. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** The caller read so many bytes after a wait (ms). */
  delivered(bytes: number, waited: number): void {
    this.#left = Math.min(this.#most, this.#left + (1_000 * bytes) / this.#lowestRate - waited);
  }
}

/** How long a caller may take (ms unless stated otherwise). */
export interface Timeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** A connection without traffic while an answer is in progress: a caller that stopped reading. */
  readonly stalled: number;
  /** For a piece of 64 KiB while others wait for the place: a caller that does not read loses it. */
  readonly contested: number;
  /** For an answer in total, in addition to the time for its bytes at the lowest rate. */
  readonly grace: number;
  /** Bytes a second, before compression. */
  readonly lowestRate: number;
}

/** 16 KiB a second are 128 kbit/s, with compression about an eighth of that. */
export const defaultTimeouts: Timeouts = {
  headers: 10_000,
  request: 30_000,
  stalled: 60_000,
  contested: 10_000,
  grace: 60_000,
  lowestRate: 16_384,
};
