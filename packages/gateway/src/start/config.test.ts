import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('listens on the loopback address and the default ports unless configured otherwise', () => {
  const { plain, secure } = readConfig({});
  expect(secure).toBeUndefined();
  expect([plain?.host, plain?.port]).toEqual(['127.0.0.1', 1883]);
});

test('refuses invalid values and names the setting', () => {
  expect(() => readConfig({ MQTT_PORT: '80a0' })).toThrow('MQTT_PORT is "80a0"');
  expect(() => readConfig({ MQTT_HOST: 'a b' })).toThrow('MQTT_HOST');
  expect(() => readConfig({ MQTTS_PORT: '70000' })).toThrow('MQTTS_PORT');
  expect(() => readConfig({ MQTT_MAX_CONNECTIONS: '0' })).toThrow('MQTT_MAX_CONNECTIONS is "0"');
  expect(() => readConfig({ MQTT_ALLOW_PLAINTEXT: 'yes' })).toThrow('MQTT_ALLOW_PLAINTEXT is "yes"');
});

const tls = { MQTT_TLS_CERT: 'cert.pem', MQTT_TLS_KEY: 'key.pem' };

test('listens without encryption only on the loopback address, unless configured otherwise', () => {
  expect(() => readConfig({ MQTT_HOST: '0.0.0.0' })).toThrow(/MQTT_HOST is "0.0.0.0".*MQTT_ALLOW_PLAINTEXT/);
  expect(readConfig({ MQTT_HOST: '0.0.0.0', MQTT_ALLOW_PLAINTEXT: 'true' }).plain?.port).toBe(1883);
  const secured = readConfig({ ...tls, MQTT_HOST: '0.0.0.0' });
  expect([secured.plain, secured.secure?.host, secured.secure?.port]).toEqual([undefined, '0.0.0.0', 8883]);
  expect(readConfig({ ...tls, MQTT_ALLOW_PLAINTEXT: 'true' }).plain?.port).toBe(1883);
  const both = readConfig({ ...tls, MQTT_HOST: '0.0.0.0', MQTT_ALLOW_PLAINTEXT: 'loopback' });
  expect([both.plain?.host, both.secure?.host]).toEqual(['127.0.0.1', '0.0.0.0']);
  expect(() => readConfig({ MQTT_HOST: '0.0.0.0', MQTT_ALLOW_PLAINTEXT: 'loopback' })).toThrow('MQTT_HOST');
});

test('refuses an incomplete TLS configuration', () => {
  expect(() => readConfig({ MQTT_TLS_CERT: 'cert.pem' })).toThrow('MQTT_TLS_KEY is not set');
  expect(() => readConfig({ MQTT_TLS_KEY: 'key.pem' })).toThrow('MQTT_TLS_CERT is not set');
});
