import { expect, test } from 'vitest';
import { demoAddresses } from './addresses.ts';
import { readDemoConfig } from './demo-config.ts';

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
