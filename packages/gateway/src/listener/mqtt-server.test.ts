import { connect, type Socket } from 'node:net';
import { holdLock } from '@visitor-counter/test/held-lock';
import { scrape } from '@visitor-counter/test/scrape';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { asStored, entries, stored } from '../../test/crossings.ts';
import { sharedGateway, startTestGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway();

test('ends a connection that publishes an oversized packet, and accepts one of 1,000 crossings', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.crossings('j1', 1, entries(1, 1_000));
  await expect(unit.publish('crossings', Buffer.alloc(65 * 1024))).rejects.toThrow('the connection ended');

  expect(await stored(gateway)).toHaveLength(1_000);
});

test('ends a connection whose first bytes are not MQTT before its time for the login is over', async () => {
  const { mqttPort: port, serial } = await startTestGateway({}, { MQTT_LOGIN_SECONDS: '600' });
  const socket = connect(port, '127.0.0.1');
  const closed = closeOf(socket);
  socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  await closed;

  const unit = await connectUnit({ port, serial });
  await unit.publish('status', 'online');
});

test('survives connections that are reset', async () => {
  const { mqttPort: port, metricsPort, serial } = await startTestGateway();
  const connections = async () => (await scrape(metricsPort)).get('visitor_counter_connections');
  const socket = connect(port, '127.0.0.1');
  await expect.poll(connections).toBe(1);
  socket.resetAndDestroy();
  await expect.poll(connections).toBe(0);

  const unit = await connectUnit({ port, serial });
  await unit.publish('status', 'online');
});

test('stores the messages that it has read before it stops', async () => {
  const gateway = await startTestGateway();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const lock = await holdLock(gateway.url, 'lock table crossing in access exclusive mode');
  const sent = entries(1, 200).map((entry, index) => unit.crossings('j1', 1 + index, [entry]));
  const messages = async () =>
    (await scrape(gateway.metricsPort)).get('visitor_counter_messages_total{channel="crossings"}');
  await expect.poll(messages).toBe(200);
  const closed = gateway.close();
  await lock.release();
  await Promise.all([closed, ...sent]);
  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, entries(1, 200)));
});

function closeOf(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
