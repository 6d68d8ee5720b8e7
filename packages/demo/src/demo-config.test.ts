import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { demoAddresses, freePort, readDemoConfig, serverSettings } from './demo-config.ts';

const tls = {
  MQTT_TLS_CERT: '/tls/fullchain.pem',
  MQTT_TLS_KEY: '/tls/key.pem',
  HTTP_TLS_CERT: '/tls/fullchain.pem',
  HTTP_TLS_KEY: '/tls/key.pem',
};

/** The operator has set these ports, so the demonstration does not choose any. */
const ports = { MQTT_PORT: '1883', MQTTS_PORT: '8883', HTTP_PORT: '8080' };
const ready = { mqttPort: 1883, mqttsPort: 8883, httpPort: 8080 };

async function addresses(env: Record<string, string>) {
  const config = readDemoConfig({ ...ports, ...env });
  return { ...demoAddresses(config, ready), env: await serverSettings(config, () => {}) };
}

test('has TLS for external units and the loopback address for its own if certificates are set', async () => {
  expect(await addresses({ ...tls, MQTT_HOST: '0.0.0.0', HTTP_HOST: '0.0.0.0' })).toEqual({
    mqttUrl: 'mqtt://127.0.0.1:1883',
    mqttsUrl: 'mqtts://0.0.0.0:8883',
    pageUrl: 'https://127.0.0.1:8080/',
    serviceUrl: 'https://127.0.0.1:8080/public/Service.asmx',
    env: { MQTT_ALLOW_PLAINTEXT: 'loopback' },
  });
});

test('offers plaintext on other addresses if configured', async () => {
  const { mqttUrl, env } = await addresses({ ...tls, MQTT_HOST: '10.0.0.1', MQTT_ALLOW_PLAINTEXT: 'true' });
  expect(mqttUrl).toBe('mqtt://10.0.0.1:1883');
  expect(env).toEqual({});
});

test('refuses an incomplete TLS configuration and names the missing setting', () => {
  expect(() => readDemoConfig({ MQTT_TLS_CERT: '/tls/fullchain.pem' })).toThrow('MQTT_TLS_KEY is not set');
});

test('refuses a blank folder', () => {
  expect(() => readDemoConfig({ DATA_DIR: ' ' })).toThrow('DATA_DIR is " ": expected the path of a folder');
});

test('tries the next port if the default one is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');

  const notices: string[] = [];
  const notice = (text: string) => notices.push(text);
  const port = await freePort('HTTP_PORT', '127.0.0.1', address.port, notice);
  expect(port).toBeGreaterThan(address.port);
  expect(notices).toEqual([expect.stringContaining('HTTP_PORT chooses another')]);
});

test('names the host if none of its ports can be used', async () => {
  await expect(freePort('HTTP_PORT', '192.0.2.1', 8080, () => {})).rejects.toThrow(
    'HTTP_HOST is "192.0.2.1": expected an address of this machine',
  );
});
