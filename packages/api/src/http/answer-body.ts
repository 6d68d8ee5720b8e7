import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, type Transform, type Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import type { Piece } from '../formats/write-records.ts';

export interface BodyKind {
  readonly mediaType: string;
  readonly encoding: Encoding;
  readonly patience: Patience;
  /** How long the caller may take for a piece while others wait (ms). */
  readonly contested: number;
  readonly othersWait: () => boolean;
}

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
  readonly #patience: Patience;
  readonly #limits: Pick<BodyKind, 'contested' | 'othersWait'>;
  #writing = Promise.resolve();
  /** Of the piece in flight. */
  #bytes = 0;
  #reject: (reason: Error) => void = () => {};

  /** Bypasses the framework, and sends the head with the first piece. */
  constructor(reply: FastifyReply, { mediaType, encoding, patience, ...limits }: BodyKind) {
    reply.hijack();
    this.#patience = patience;
    this.#limits = limits;
    this.#raw = reply.raw;
    this.#raw.once('close', () => this.#reject(new Error('the caller has disconnected')));
    reply.type(mediaType);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) this.#raw.setHeader(name, value);
    }
    const compress = compressor(encoding);
    this.#out = compress?.stream ?? this.#raw;
    this.#flush = compress?.flush ?? (() => {});
    if (compress) pipeline(compress.stream, this.#raw, () => {});
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
    const { contested, othersWait } = this.#limits;
    const begin = performance.now();
    const late = setTimeout(() => this.#raw.destroy(), this.#patience.left);
    const polling = setInterval(
      () => {
        if (performance.now() - begin >= contested && othersWait()) this.#raw.destroy();
      },
      Math.min(contested, pollInterval),
    );
    try {
      await writing;
    } finally {
      clearTimeout(late);
      clearInterval(polling);
    }
    this.#patience.delivered(this.#bytes, performance.now() - begin);
  }

  #completion(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.abandoned) reject(new Error('the caller has disconnected'));
      else act((error) => (error ? reject(error) : resolve()));
    });
  }
}

/** A content coding of RFC 9110 that answers are written in. */
export type Encoding = 'identity' | 'gzip';

/** The coding that `Accept-Encoding` prefers; identity without the header. */
export function preferredEncoding(headers: IncomingHttpHeaders): Encoding {
  const [best] = new Negotiator({ headers }).encodings(['gzip', 'identity']);
  return best === 'gzip' ? 'gzip' : 'identity';
}

interface Compressor {
  readonly stream: Transform;
  /** Writes out everything so far. */
  flush(): void;
}

/** Fast rather than small: the lowest level makes a tenth of an answer, and at twice the speed of the usual one. */
const level = constants.Z_BEST_SPEED;

function compressor(encoding: Encoding): Compressor | undefined {
  if (encoding === 'identity') return undefined;
  const stream = createGzip({ level });
  return { stream, flush: () => stream.flush(constants.Z_SYNC_FLUSH) };
}

/** How long an answer waits for its caller. */
export interface PatienceLimits {
  /** In total, in addition to the time for its bytes at the lowest rate (ms). */
  readonly grace: number;
  /** Bytes a second, before compression. */
  readonly lowestRate: number;
}

/** The most that a fast caller can save, as a multiple of the grace: the buffers of a connection accept megabytes at once. */
const savings = 10;

/**
 * The remaining time that an answer waits for its caller: a caller that reads at the lowest rate or faster never runs
 * out of it, whatever the length, and a slower one occupies the database for a bounded time.
 */
export class Patience {
  readonly #lowestRate: number;
  readonly #most: number;
  #left: number;

  constructor({ grace, lowestRate }: PatienceLimits) {
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

/** How long a caller may take to read an answer (ms unless stated otherwise). */
export interface BodyTimeouts extends PatienceLimits {
  /** For a piece of 64 KiB while others wait for the slot: a caller that does not read loses it. */
  readonly contested: number;
}

/** In ms unless stated otherwise. */
export interface Timeouts extends BodyTimeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** A connection without traffic while an answer is in progress: a caller that stopped reading. */
  readonly stalled: number;
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
