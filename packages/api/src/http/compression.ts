import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import Negotiator from 'negotiator';

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

export function compressor(encoding: Encoding): Compressor | undefined {
  if (encoding === 'identity') return undefined;
  const stream = createGzip({ level });
  return { stream, flush: () => stream.flush(constants.Z_SYNC_FLUSH) };
}
