import { expect, test } from 'vitest';
import { readApiConfig } from './config.ts';

test('rejects invalid values and names the variable', async () => {
  await expect(readApiConfig({ API_EXPORTS: '0' })).rejects.toThrow(/^API_EXPORTS is "0"/);
  await expect(readApiConfig({ HTTP_PORT: '80a0' })).rejects.toThrow(/^HTTP_PORT is "80a0"/);
  await expect(readApiConfig({ HTTP_TLS_KEY: 'key.pem' })).rejects.toThrow(/^HTTP_TLS_CERT is not set/);
  for (const PUBLIC_MQTT_URL of ['counter.example:8883', 'https://a', 'mqtts://', 'mqtts://user@a']) {
    await expect(readApiConfig({ PUBLIC_MQTT_URL })).rejects.toThrow(/^PUBLIC_MQTT_URL is /);
  }
  await expect(readApiConfig({ PUBLIC_MQTT_CA: 'none.pem' })).rejects.toThrow(
    /^PUBLIC_MQTT_CA is "none.pem"/,
  );
  await expect(readApiConfig({ HTTP_HOST: 'a b' })).rejects.toThrow(/^HTTP_HOST is "a b"/);
  for (const TRUSTED_PROXIES of [
    'true',
    '10.0.0.0/33',
    '10.0.0.1/',
    'proxy.example',
    '10.0.0.1,,::1',
    '::/129',
  ]) {
    await expect(readApiConfig({ TRUSTED_PROXIES })).rejects.toThrow(/^TRUSTED_PROXIES is /);
  }
  for (const id of ['a/b', 'a b', '.', '..', 'ü', '%41', ':id', '*', 'health', 'ready', 'live']) {
    await expect(readApiConfig({ API_PATH_ID: id })).rejects.toThrow(/^API_PATH_ID is /);
  }
});

test('accepts other names for XML records, and rejects invalid ones', async () => {
  const env = {
    XML_NAMESPACE: 'urn:acme',
    XML_COUNT_EVENT: 'Event',
    XML_INACTIVE_DEVICE: 'Unit',
  };
  expect((await readApiConfig(env)).xml).toEqual({
    namespace: 'urn:acme',
    records: { CountEvent: 'Event', InactiveDevice: 'Unit' },
  });
  for (const [name, value] of [
    ['XML_NAMESPACE', 'tempuri'],
    ['XML_NAMESPACE', 'http://a b/'],
    ['XML_COUNT_EVENT', '1st'],
    ['XML_COUNT_EVENT', 'a:b'],
    ['XML_INACTIVE_DEVICE', '<x>'],
  ] as const) {
    await expect(readApiConfig({ [name]: value })).rejects.toThrow(`${name} is "${value}"`);
  }
  const alike = { XML_COUNT_EVENT: 'A', XML_INACTIVE_DEVICE: 'A' };
  await expect(readApiConfig(alike)).rejects.toThrow('XML_INACTIVE_DEVICE is "A"');
});

test('reads the addresses of trusted proxies', async () => {
  const TRUSTED_PROXIES = 'loopback, 10.0.0.0/8,fd00::/8';
  const { trustedProxies } = await readApiConfig({ TRUSTED_PROXIES });
  expect(trustedProxies).toEqual(['loopback', '10.0.0.0/8', 'fd00::/8']);
});
