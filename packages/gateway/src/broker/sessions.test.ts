import { eventually } from '@visitor-counter/test/eventually';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { connectUnit, lastWill } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { startTestGateway } from '../../test/test-gateway.ts';

async function loggingGateway() {
  const logged: Record<string, unknown>[] = [];
  const lines = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const gateway = await startTestGateway({ stateInterval: 50 }, { LOG_LEVEL: 'info' }, lines);
  const loggedAs = (message: string) => logged.filter(({ msg }) => msg === message);
  return { gateway, loggedAs };
}

test('sets a half-open unit offline within one and a half keep-alives, and online when it reconnects', async () => {
  const { gateway, loggedAs } = await loggingGateway();
  const { serial, seed, deviceId, mqttPort } = gateway;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: mqttPort });
  const will = lastWill(serial);
  const isOnline = async () =>
    (await seed.query('select online from device_state where device_id = $1', [deviceId]))[0]?.['online'];
  const options = { will, keepalive: 1, reschedulePings: false };
  /* On a busy machine the keep-alive of a second may end before that. */
  await eventually(async () => {
    const unit = await connectUnit({ port: proxy.port, serial, options });
    await unit.publish('status', 'online', { retain: true });
  });

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
