import { createLogger } from '@visitor-counter/service/logger';
import { runRole } from '@visitor-counter/test/run-role';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { expect, onTestFinished, test } from 'vitest';
import { entries } from '../test/crossings.ts';
import { seedDevices } from '../test/test-gateway.ts';
import { readConfig } from './start/config.ts';
import { startGateway } from './start/start-gateway.ts';

test('logs no secret, wrong password or payload at any level, with and without failures', async () => {
  const direct = await testDatabase();
  const { serial, other } = await seedDevices(direct);
  const proxy = await startDatabaseProxy(direct);
  const url = new URL(throughProxy(direct, proxy));
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const log = createLogger('gateway', { LOG_LEVEL: 'trace' }, { write });
  const config = readConfig({ MQTT_PORT: '0' });
  const gateway = await runRole('gateway', (context) => startGateway(config, context), url.href, log);
  onTestFinished(() => gateway.close());
  const port = Number(gateway.ready['mqttPort']);
  const wrong = 'wrong-password-of-a-guesser';
  const guess = (name: string) => connectUnit({ port, serial: name, secret: wrong }).catch(() => {});

  const unit = await connectUnit({ port, serial });
  await unit.crossings('journal-in-payload', 1, entries(1, 3));
  await unit.publish('crossings', 'payload-that-is-no-json');
  await unit.publish('heartbeat', '{"at":1,"note":"payload-of-heartbeat"}');
  await guess(serial);
  await guess('CU-unknown');
  const will = { topic: topic(other, 'status'), payload: Buffer.from('payload-of-will'), qos: 2 as const };
  await connectUnit({ port, serial: other, options: { will: { ...will, retain: true } } }).catch(() => {});
  const intruder = await connectUnit({ port, serial: other });
  intruder.client.publish(topic(serial, 'crossings'), 'payload-of-intruder', { qos: 1 });
  await intruder.closed;
  proxy.refuse();
  await guess(other);
  void unit.crossings('journal-in-payload', 4, entries(4, 3)).catch(() => {});
  await expect.poll(() => logged).toContain('messages not stored');
  proxy.carry();

  expect(logged).toContain('login refused');
  expect(logged).toContain('publish refused');
  const secrets = [`secret of ${serial}`, `secret of ${other}`, wrong, 'payload-', 'in-payload', url.href];
  for (const secret of [...secrets, ...(url.password ? [url.password] : [])]) {
    expect(logged).not.toContain(secret);
    expect(logged).not.toContain(Buffer.from(secret).toString('base64'));
    expect(logged).not.toContain(Buffer.from(secret).join(','));
  }
});
