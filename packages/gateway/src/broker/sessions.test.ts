import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { connectUnit, lastWill } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { expect, test, vi } from 'vitest';
import { startTestGateway } from '../../test/test-gateway.ts';

async function loggingGateway() {
  const logged: Record<string, unknown>[] = [];
  const lines = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const gateway = await startTestGateway({ stateInterval: 50 }, { LOG_LEVEL: 'info' }, lines);
  const loggedAs = (message: string) => logged.filter(({ msg }) => msg === message);
  return { gateway, loggedAs };
}

test('logs each connection and why it ended', async () => {
  const { gateway, loggedAs } = await loggingGateway();
  const { mqttPort: port, serial, other, seed } = gateway;

  const first = await connectUnit({ port, serial });
  const second = await connectUnit({ port, serial });
  await first.closed;
  await second.client.endAsync();
  const intruder = await connectUnit({ port, serial });
  intruder.client.publish(topic(other, 'crossings'), 'x', { qos: 1 });
  await intruder.closed;
  const revoked = await connectUnit({ port, serial });
  await seed.query('update device set secret_hash = $1', [hashSecret('another secret')]);
  await revoked.closed;

  await expect.poll(() => loggedAs('unit disconnected')).toHaveLength(4);
  expect(loggedAs('unit connected')).toMatchObject(Array(4).fill({ serial, address: '127.0.0.1' }));
  expect(loggedAs('unit disconnected').map(({ reason }) => reason)).toEqual([
    'the unit has a newer connection',
    'closed by the unit',
    'topic',
    'the unit is connected to another gateway, or its secret has changed',
  ]);
});

test('logs why a client of another version of MQTT is refused', async () => {
  const { gateway, loggedAs } = await loggingGateway();
  const { mqttPort: port, serial } = gateway;

  await expect(connectUnit({ port, serial, options: { protocolVersion: 5 } })).rejects.toThrow();

  const reason = 'unacceptable protocol version';
  await expect
    .poll(() => loggedAs('connection ended before login'))
    .toMatchObject([{ address: '127.0.0.1', reason }]);
});

test('sets a half-open unit offline within one and a half keep-alives, and online when it reconnects', async () => {
  const { gateway, loggedAs } = await loggingGateway();
  const { serial, seed, deviceId, mqttPort } = gateway;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: mqttPort });
  const will = lastWill(serial);
  const isOnline = async () =>
    (await seed.query('select online from device_state where device_id = $1', [deviceId]))[0]?.['online'];
  const options = { will, keepalive: 1, reschedulePings: false };
  /* On a busy machine the keep-alive of a second may end before that. */
  await vi.waitFor(
    async () => {
      const unit = await connectUnit({ port: proxy.port, serial, options });
      await unit.publish('status', 'online', { retain: true });
    },
    { timeout: 90_000 },
  );

  proxy.swallow();
  await expect.poll(isOnline).toBe(false);
  expect(loggedAs('unit disconnected').at(-1)).toMatchObject({ serial, reason: 'keep alive timeout' });

  const back = await connectUnit({ port: mqttPort, serial, options: { will } });
  await back.publish('status', 'online', { retain: true });
  await expect.poll(isOnline).toBe(true);
  proxy.cut();
  await back.publish('status', 'online', { retain: true });
  expect(await isOnline()).toBe(true);
});
