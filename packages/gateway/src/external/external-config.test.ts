import { expect, test } from 'vitest';
import { loadBrokerTls, readExternalConfig } from './external-config.ts';

test('is the broker itself unless MQTT_URL is set', () => {
  expect(readExternalConfig({ MQTT_USERNAME: 'u' })).toBeUndefined();
});

test('reads user and password from the URL, decoded, or from separate variables', () => {
  const env = { MQTT_URL: 'mqtts://gate%40way:p%3Aw@broker.example:8883', MQTT_CLIENT_ID: 'a' };
  expect(readExternalConfig(env)).toEqual({
    url: 'mqtts://broker.example:8883',
    username: 'gate@way',
    password: 'p:w',
    subscriptions: 'shared',
    group: 'visitor-counter',
    clientId: 'a',
    connections: 32,
    sessionExpiry: 60,
  });
  expect(readExternalConfig({ ...env, MQTT_USERNAME: 'x', MQTT_PASSWORD: 'y' })).toMatchObject({
    url: 'mqtts://broker.example:8883',
    username: 'x',
    password: 'y',
  });
});

test.each([
  { MQTT_URL: 'http://user:hidden@broker' },
  { MQTT_URL: 'mqtt://user:hidden@broker/path' },
  { MQTT_URL: 'mqtt://user:hidden%zz@broker' },
])('refuses $MQTT_URL without showing it', (env) => {
  expect(() => readExternalConfig(env)).toThrow(/^MQTT_URL(?!.*hidden)/);
});

test.each([
  { MQTT_SUBSCRIPTIONS: 'none' },
  { MQTT_SHARE_GROUP: 'a/b' },
  { MQTT_SHARE_GROUP: '+' },
  { MQTT_CLIENT_ID: 'a b' },
  { MQTT_CONNECTIONS: '0' },
  { MQTT_SESSION_EXPIRY: '-1' },
])('refuses %j and names the setting', (env) => {
  const [name = ''] = Object.keys(env);
  expect(() => readExternalConfig({ MQTT_URL: 'mqtt://broker', ...env })).toThrow(name);
});

test.each([
  [{ MQTT_URL: 'mqtt://broker', MQTT_URL_CA: 'ca.pem' }, /^MQTT_URL is .*mqtts/],
  [{ MQTT_URL: 'mqtts://broker', MQTT_URL_CERT: 'cert.pem' }, /^MQTT_URL_KEY is not set/],
  [{ MQTT_URL: 'mqtts://broker', MQTT_URL_KEY: 'key.pem' }, /^MQTT_URL_CERT is not set/],
])('refuses %j, which would have no effect', (env, message) => {
  expect(() => readExternalConfig(env)).toThrow(message);
});

test('names a file that cannot be read or is not a certificate', async () => {
  await expect(loadBrokerTls({ caFile: '/nowhere/ca.pem' })).rejects.toThrow(/^MQTT_URL_CA is "\/nowhere/);
  const none = import.meta.filename;
  await expect(loadBrokerTls({ caFile: none })).rejects.toThrow(/^MQTT_URL_CA is .*\(there is none\)$/);
  const own = { settings: 'MQTT_URL', certFile: none, keyFile: none };
  await expect(loadBrokerTls({ own })).rejects.toThrow(/^MQTT_URL_CERT is /);
  expect(await loadBrokerTls()).toEqual({});
});
