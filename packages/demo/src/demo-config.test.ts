import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { choosePort, demoAddresses, readDemoConfig } from './demo-config.ts';

const tls = {
  MQTT_TLS_CERT: '/tls/fullchain.pem',
  MQTT_TLS_KEY: '/tls/key.pem',
  HTTP_TLS_CERT: '/tls/fullchain.pem',
  HTTP_TLS_KEY: '/tls/key.pem',
};

function addresses(env: Record<string, string>) {
  const config = readDemoConfig(env);
  return demoAddresses(config, { mqtt: 1883, mqtts: config.mqttTls ? 8883 : undefined, http: 8080 });
}

test('has one address for units and no encryption without certificates', () => {
  const { env, ...urls } = addresses({});
  expect(urls).toEqual({
    mqttUrl: 'mqtt://127.0.0.1:1883',
    mqttsUrl: undefined,
    pageUrl: 'http://127.0.0.1:8080/',
    serviceUrl: 'http://127.0.0.1:8080/public/Service.asmx',
  });
  expect(env).not.toHaveProperty('MQTT_ALLOW_PLAINTEXT');
});

test('has TLS for external units and the loopback address for its own if certificates are set', () => {
  const { env, ...urls } = addresses({ ...tls, MQTT_HOST: '0.0.0.0', HTTP_HOST: '0.0.0.0' });
  expect(urls).toEqual({
    mqttUrl: 'mqtt://127.0.0.1:1883',
    mqttsUrl: 'mqtts://0.0.0.0:8883',
    pageUrl: 'https://127.0.0.1:8080/',
    serviceUrl: 'https://127.0.0.1:8080/public/Service.asmx',
  });
  expect(env).toMatchObject({ MQTT_HOST: '0.0.0.0', MQTTS_PORT: '8883', MQTT_ALLOW_PLAINTEXT: 'loopback' });
});

test('offers plaintext on other addresses if configured', () => {
  const { mqttUrl, env } = addresses({ ...tls, MQTT_HOST: '10.0.0.1', MQTT_ALLOW_PLAINTEXT: 'true' });
  expect(mqttUrl).toBe('mqtt://10.0.0.1:1883');
  expect(env).not.toHaveProperty('MQTT_ALLOW_PLAINTEXT');
});

test('refuses an incomplete TLS configuration and names the missing setting', () => {
  expect(() => addresses({ MQTT_TLS_CERT: '/tls/fullchain.pem' })).toThrow('MQTT_TLS_KEY is not set');
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
  const port = await choosePort('HTTP_PORT', '127.0.0.1', undefined, address.port, notice);
  expect(port).toBeGreaterThan(address.port);
  expect(notices).toEqual([expect.stringContaining('HTTP_PORT chooses another')]);
});

test('names the host if none of its ports can be used', async () => {
  await expect(choosePort('HTTP_PORT', '192.0.2.1', undefined, 8080, () => {})).rejects.toThrow(
    'HTTP_HOST is "192.0.2.1": expected an address of this machine',
  );
});
