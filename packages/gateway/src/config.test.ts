import { createServer } from 'node:http';
import { listen } from '@visitor-counter/service/listen';
import { startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.ts';

test('listens on the loopback address and the usual ports unless told otherwise', () => {
  const { mqtt, health, anyHealthPort } = readConfig({});
  expect([mqtt.host, mqtt.port, health.host, health.port]).toEqual(['127.0.0.1', 1883, '127.0.0.1', 9464]);
  expect(anyHealthPort).toBe(true);
  expect(readConfig({ HEALTH_PORT: '9464' }).anyHealthPort).toBe(false);
});

test('refuses garbage by name', () => {
  expect(() => readConfig({ MQTT_PORT: '80a0' })).toThrow('MQTT_PORT is "80a0"');
  expect(() => readConfig({ MQTT_HOST: 'a b' })).toThrow('MQTT_HOST');
  expect(() => readConfig({ HEALTH_PORT: '70000' })).toThrow('HEALTH_PORT');
});

test('names the port that is taken, and ends with 2', async () => {
  const DATABASE_URL = await testDatabase();
  const server = createServer();
  const taken = String(await listen(server, { host: '127.0.0.1', port: 0, setting: 'none' }));
  onTestFinished(() => void server.close());

  for (const setting of ['MQTT_PORT', 'HEALTH_PORT', 'METRICS_PORT']) {
    const env = { DATABASE_URL, MQTT_PORT: '0', HEALTH_PORT: '0', METRICS_PORT: '0', [setting]: taken };
    await expect(startService('gateway', [], env)).rejects.toThrow(
      new RegExp(`gateway ended \\(2\\)[^]*${setting} is "${taken}": expected a port that is free`),
    );
  }
}, 20_000);
