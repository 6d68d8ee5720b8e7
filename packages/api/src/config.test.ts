import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readApiConfig } from './config.ts';
import { xmlNames } from './testing/xml-names.ts';

const DATABASE_URL = 'postgres://user:hidden@db/counter';

test('needs a database and has a default for everything else', async () => {
  expect(await readApiConfig({ DATABASE_URL })).toEqual({
    databaseUrl: DATABASE_URL,
    host: '127.0.0.1',
    port: 8080,
    tls: undefined,
    pathId: 'public',
    trustedProxies: [],
    metrics: { host: '127.0.0.1', port: 9466, setting: 'METRICS_PORT' },
    anyMetricsPort: true,
    xml: xmlNames,
    limits: {
      ...{ failuresPerMinute: 100, requestsPerMinute: 6_000 },
      ...{ exports: 8, exportsPerCredential: 4, statement: 30_000 },
      streams: { all: 5_000, perCompany: 1_000, perCredential: 500 },
    },
    pageFolder: expect.stringMatching(/dashboard.dist$/),
    units: { mqttUrl: undefined, mqttCa: undefined },
  });
  const nothingRuns = join(tmpdir(), 'no-such-data-folder');
  await expect(readApiConfig({ DATA_DIR: nothingRuns })).rejects.toThrow(/^DATABASE_URL is not set/);
});

test('refuses garbage by name', async () => {
  await expect(readApiConfig({ DATABASE_URL, API_EXPORTS: '0' })).rejects.toThrow(/^API_EXPORTS is "0"/);
  await expect(readApiConfig({ DATABASE_URL, HTTP_PORT: '80a0' })).rejects.toThrow(/^HTTP_PORT is "80a0"/);
  await expect(readApiConfig({ DATABASE_URL, HTTP_TLS_KEY: 'key.pem' })).rejects.toThrow(
    /^HTTP_TLS_CERT is not set/,
  );
  for (const PUBLIC_MQTT_URL of ['counter.example:8883', 'https://a', 'mqtts://', 'mqtts://user@a']) {
    await expect(readApiConfig({ DATABASE_URL, PUBLIC_MQTT_URL })).rejects.toThrow(/^PUBLIC_MQTT_URL is /);
  }
  await expect(readApiConfig({ DATABASE_URL, PUBLIC_MQTT_CA: 'none.pem' })).rejects.toThrow(
    /^PUBLIC_MQTT_CA is "none.pem"/,
  );
  await expect(readApiConfig({ DATABASE_URL, HTTP_HOST: 'a b' })).rejects.toThrow(/^HTTP_HOST is "a b"/);
  for (const TRUSTED_PROXIES of [
    'true',
    '10.0.0.0/33',
    '10.0.0.1/',
    'proxy.example',
    '10.0.0.1,,::1',
    '::/129',
  ]) {
    await expect(readApiConfig({ DATABASE_URL, TRUSTED_PROXIES })).rejects.toThrow(/^TRUSTED_PROXIES is /);
  }
  for (const id of ['a/b', 'a b', '.', '..', 'ü', '%41', ':id', '*', 'health', 'ready', 'live']) {
    await expect(readApiConfig({ DATABASE_URL, API_PATH_ID: id })).rejects.toThrow(/^API_PATH_ID is /);
  }
});

test('takes names for XML that older proxies were generated with, and refuses what is no name', async () => {
  const env = {
    DATABASE_URL,
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
    await expect(readApiConfig({ DATABASE_URL, [name]: value })).rejects.toThrow(`${name} is "${value}"`);
  }
  const alike = { DATABASE_URL, XML_COUNT_EVENT: 'A', XML_INACTIVE_DEVICE: 'A' };
  await expect(readApiConfig(alike)).rejects.toThrow('XML_INACTIVE_DEVICE is "A"');
});

test('keeps the password of a database URL to itself', async () => {
  await expect(readApiConfig({ DATABASE_URL: 'mysql://user:hidden@db/counter' })).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hidden') }),
  );
});

test('reads whose forwarded addresses are believed', async () => {
  const TRUSTED_PROXIES = 'loopback, 10.0.0.0/8,fd00::/8';
  const { trustedProxies } = await readApiConfig({ DATABASE_URL, TRUSTED_PROXIES });
  expect(trustedProxies).toEqual(['loopback', '10.0.0.0/8', 'fd00::/8']);
});
