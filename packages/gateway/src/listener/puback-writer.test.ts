import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Backpressure } from '../backpressure/backpressure.ts';
import { PubackWriter } from './puback-writer.ts';
import { SocketReader } from './socket-reader.ts';

const minute = 60_000;

test('writes the acknowledgements of one event-loop turn as one chunk', async () => {
  const socket = new PassThrough();
  const written: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => written.push(chunk));
  const pubacks = new PubackWriter(socket, new SocketReader(socket, new Backpressure()), minute);

  for (const messageId of [1, 2, 65_535]) pubacks.acknowledge(messageId);
  await nextTurn();
  pubacks.acknowledge(258);
  await nextTurn();

  expect(written.map((chunk) => chunk.toString('hex'))).toEqual([
    '40020001' + '40020002' + '4002ffff',
    '40020102',
  ]);
});

test('stops reading from a client that does not read, and continues when it does', async () => {
  const socket = new PassThrough({ highWaterMark: 8 });
  const reader = new SocketReader(new PassThrough(), new Backpressure());
  const pubacks = new PubackWriter(socket, reader, minute);

  for (let messageId = 1; messageId <= 10; messageId += 1) pubacks.acknowledge(messageId);
  await nextTurn();
  expect(reader.isReading).toBe(false);

  const drained = new Promise((resolve) => socket.once('drain', resolve));
  socket.resume();
  await drained;
  expect(reader.isReading).toBe(true);
});

test('closes the connection of a client that does not read', async () => {
  const socket = new PassThrough({ highWaterMark: 8 });
  const failed = new Promise<Error>((resolve) => socket.once('error', resolve));
  const pubacks = new PubackWriter(socket, new SocketReader(new PassThrough(), new Backpressure()), 1);

  for (let messageId = 1; messageId <= 10; messageId += 1) pubacks.acknowledge(messageId);

  expect(await failed).toMatchObject({ code: 'unread-timeout' });
});
