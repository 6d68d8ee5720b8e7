import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Format, writeRecords } from '../formats/format.ts';

/**
 * Writes records to the caller as they are read: no faster than the caller takes them, and no further when
 * the caller is gone. A failure before the first record is thrown; a later one breaks the connection, so
 * that nobody takes half an answer for a whole one, and is told to `onBroken`.
 */
export async function streamAnswer(
  reply: FastifyReply,
  format: Format,
  batches: AsyncIterable<readonly object[]>,
  onBroken: (error: unknown) => void,
): Promise<FastifyReply> {
  const pieces = writeRecords(format, batches);
  const first = await pieces.next();
  const stream = Readable.from(continued(first, pieces), { highWaterMark: 1 });
  stream.once('error', (error) => {
    if (!reply.raw.headersSent) return;
    onBroken(error);
    reply.raw.socket?.resetAndDestroy();
  });
  /* A stream that is destroyed before it was read from has not started `continued`, nor will it end it. */
  stream.once('close', () => void pieces.return().catch(() => {}));
  return reply.type(format.mediaType).send(stream);
}

async function* continued(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>) {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
