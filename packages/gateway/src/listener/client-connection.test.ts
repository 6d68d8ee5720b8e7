import { Duplex } from 'node:stream';
import mqtt from 'mqtt-packet';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backpressure } from '../backpressure/backpressure.ts';
import type { IngestResult } from '../ingest/isolate-failing-message.ts';
import { ClientConnection, type HandlePublish } from './client-connection.ts';
import { deviceRates } from './rate-limits.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const keepAlive = 30;
const publishOf = (bytes: number, messageId = 1) =>
  mqtt.generate({
    cmd: 'publish',
    topic: 't',
    messageId,
    qos: 1,
    dup: false,
    retain: false,
    payload: Buffer.alloc(bytes),
  });
const large = publishOf(63 * 1024);

/**
 * A client that has logged in with a keep-alive (s), whose messages have this result; it has sent `early` before it was
 * admitted. `send` writes at so many bytes a second.
 */
async function admitted(
  result: IngestResult | Promise<IngestResult> = 'stored',
  early = Buffer.alloc(0),
  seconds = keepAlive,
) {
  const answers: string[] = [];
  const write = (chunk: Buffer, _encoding: BufferEncoding, written: () => void) => {
    answers.push(chunk.toString('hex'));
    written();
  };
  const socket = new Duplex({ read: () => {}, write });
  const connection = new ClientConnection(socket, {
    loginWithin: 10_000,
    address: 'a',
    backpressure: new Backpressure(),
  });
  const taken = vi.fn<HandlePublish>(async () => result);
  const ended = vi.fn();
  connection.on('error', ended).resume();
  socket.emit('data', mqtt.generate({ cmd: 'connect', clientId: 'CU-1', keepalive: seconds }));
  expect(socket.isPaused()).toBe(true);
  socket.emit('data', early);
  connection.setKeepAlive(seconds);
  const rateOf = deviceRates({ bytesPerSecond: 1_000_000, burstBytes: 1_000_000 }, () => {});
  connection.admit(rateOf({ deviceId: 1, serial: 'CU-1' }), taken);
  const send = async (bytes: Buffer, perSecond: number) => {
    for (let start = 0; start < bytes.length && !connection.destroyed; start += perSecond) {
      socket.emit('data', bytes.subarray(start, start + perSecond));
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  expect(socket.isPaused()).toBe(false);
  return { socket, answers, send, taken, ended };
}

test('closes the connection of a client that sends bytes of a packet without end', async () => {
  const { send, taken, ended } = await admitted();

  await send(large.subarray(0, 46), 1);

  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'keep-alive-timeout' }));
  expect(taken).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('does not close the connection of a silent client while nothing is read from it, or if its keep-alive is 0', async () => {
  const storing = Promise.withResolvers<IngestResult>();
  const { socket, send, ended } = await admitted(storing.promise);
  const endless = await admitted('stored', Buffer.alloc(0), 0);

  for (const message of [large, large]) await send(message, large.length);
  expect(socket.isPaused()).toBe(true);
  await vi.advanceTimersByTimeAsync(4 * keepAlive * 1_000);
  storing.resolve('stored');
  await vi.advanceTimersByTimeAsync(0.4 * keepAlive * 1_000);
  expect(socket.isPaused()).toBe(false);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1.1 * keepAlive * 1_000);
  expect(ended).toHaveBeenCalledOnce();
  expect(endless.ended).not.toHaveBeenCalled();
});

test('receives the largest packet over a slow link from a client that is silent for its keep-alive before and after', async () => {
  const { send, taken, ended } = await admitted();

  for (let count = 1; count <= 3; count += 1) {
    await vi.advanceTimersByTimeAsync(keepAlive * 1_000);
    await send(large, 2_048);
    expect(taken).toHaveBeenCalledTimes(count);
  }
  await vi.advanceTimersByTimeAsync(44_000 - 1_000);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended).toHaveBeenCalledOnce();
});

test('handles the messages that a client sends before it is admitted, once it is', async () => {
  const { taken, ended } = await admitted('stored', Buffer.concat([publishOf(100), publishOf(200)]));

  expect(taken.mock.calls).toMatchObject([
    [{ payload: Buffer.alloc(100) }],
    [{ payload: Buffer.alloc(200) }],
  ]);
  expect(ended).not.toHaveBeenCalled();
});

test('handles nothing that follows a malformed packet', async () => {
  const { send, taken, ended } = await admitted();
  const withoutTopic = Buffer.from([0x32, 1, 0]);

  await send(Buffer.concat([withoutTopic, large]), 2 * large.length);

  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'malformed-packet' }));
  expect(taken).not.toHaveBeenCalled();
});
