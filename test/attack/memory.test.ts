import { connect } from 'node:net';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { startAttackedGateway } from './attacked-gateway.ts';

const megabyte = Buffer.alloc(1024 * 1024);

/** The beginnings of packets of 200 MB: a CONNECT, a PUBLISH, and a PUBLISH after a CONNECT that is complete. */
const beginnings = [
  Buffer.from([0x10, 0x80, 0x90, 0xad, 0x5f]),
  Buffer.from([0x30, 0x80, 0x90, 0xad, 0x5f]),
  Buffer.concat([
    Buffer.from([0x10, 0x10, 0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 60, 0, 4, ...Buffer.from('CU-1')]),
    Buffer.from([0x30, 0x80, 0x90, 0xad, 0x5f]),
  ]),
];

test('sockets that send 200 MB as one packet before login cost no memory', async () => {
  const gateway = await startAttackedGateway(await testDatabase(), { LOG_LEVEL: 'error' });
  const before = await gateway.peakMemory();

  const sockets = [...beginnings, ...beginnings, ...beginnings, ...beginnings];
  await Promise.all(sockets.map((beginning) => pour(gateway.port, beginning)));

  expect((await gateway.peakMemory()) - before).toBeLessThan(32 * 1024 * 1024);
});

/** Sends as long as the gateway reads, at most 200 MB. */
async function pour(port: number, beginning: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(beginning);
  for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) {
    await Promise.race([closed, new Promise((resolve) => socket.write(megabyte, resolve))]);
  }
  socket.destroy();
  await closed;
}
