import { type Mosquitto, startMosquitto } from '@visitor-counter/test/mosquitto';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import mqtt, { type MqttClient } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';

const at = Date.UTC(2026, 10, 20, 10);
const connections = 4;

test('reports the committed position past lost and rejected sequences, answers with the time, drops unknown serial numbers', async () => {
  const { unit, unknown, rows, committed, times } = await gatewayBehindMosquitto();

  await send(unknown, 'CU-unknown', 'crossings', { journal: 'j', first: 1, crossings: [[at, 1]] });
  await send(unit, 'CU-1', 'crossings', {
    journal: 'j',
    first: 4,
    crossings: [[at, 1], 'no entry', [at, 1]],
  });
  await expect.poll(() => committed().at(-1)).toEqual({ journal: 'j', through: 0 });
  await send(unit, 'CU-1', 'crossings', { journal: 'j', first: 1, crossings: [[at, 1]] });
  await expect.poll(() => committed().at(-1)).toEqual({ journal: 'j', through: 1 });

  await send(unit, 'CU-1', 'heartbeat', { at, journal: 'j', lost: [['j', 2, 3]] });
  await expect.poll(() => committed().at(-1)).toEqual({ journal: 'j', through: 6 });
  expect(times()).toHaveLength(1);

  expect(await rows.query('select sequence::int from crossing order by 1')).toEqual(
    [1, 4, 6].map((sequence) => ({ sequence })),
  );
  expect(await rows.query('select reason from rejected_message')).toHaveLength(1);
});

test('stores the diagnosis of a unit', async () => {
  const { unit, unknown, rows } = await gatewayBehindMosquitto();
  const diagnosis = { id: 5, at, findings: [], log: ['started'], omitted: 0 };
  await send(unknown, 'CU-1', 'diagnosis', { ...diagnosis, id: 6 });
  await send(unit, 'CU-1', 'diagnosis', diagnosis);
  const stored = () => rows.query('select command_id::int as id, report from device_diagnosis');
  await expect.poll(stored).toHaveLength(1);
  expect(await stored()).toMatchObject([{ id: 5, report: { log: ['started'] } }]);
});

test('commits and drops nothing while the database is unavailable, and stores everything afterwards', async () => {
  const { unit, rows, committed, databaseProxy } = await gatewayBehindMosquitto();
  await send(unit, 'CU-1', 'crossings', { journal: 'j', first: 1, crossings: [[at, 1]] });
  await expect.poll(() => committed().at(-1)).toEqual({ journal: 'j', through: 1 });

  databaseProxy.refuse();
  for (let first = 2; first <= 41; first += 1) {
    await send(unit, 'CU-1', 'crossings', { journal: 'j', first, crossings: [[at + first, 1]] });
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(committed()).toHaveLength(1);
  databaseProxy.carry();

  await expect.poll(() => committed().at(-1)).toEqual({ journal: 'j', through: 41 });
  expect(await rows.query('select count(*)::int from crossing')).toEqual([{ count: 41 }]);
});

test('reports a journal beyond the limit of its device as committed, whichever part arrives first', async () => {
  const { unit, rows, deviceId, committed } = await gatewayBehindMosquitto({ INGEST_JOURNALS: '100' });
  for (let n = 1; n <= 100; n += 1) await rows.journal(deviceId, `j${n}`);
  const journal = 'excess';
  const kept = () => rows.query('select from rejected_message');

  await send(unit, 'CU-1', 'crossings', { journal, first: 3, crossings: [[at, 1], 'no entry'] });
  await expect.poll(kept).toHaveLength(2);
  await send(unit, 'CU-1', 'crossings', { journal, first: 1, crossings: [[at, 1]] });
  await expect.poll(() => committed().at(-1)).toEqual({ journal, through: 1 });
  await send(unit, 'CU-1', 'heartbeat', { at, journal, acknowledged: 1, lost: [[journal, 2, 2]] });
  await expect.poll(() => committed().at(-1)).toEqual({ journal, through: 4 });

  expect(await kept()).toHaveLength(3);
  expect(await rows.query('select from crossing')).toHaveLength(0);
  expect(await rows.query('select from journal')).toHaveLength(100);
});

async function gatewayBehindMosquitto(settings: Readonly<Record<string, string>> = {}) {
  const url = await testDatabase();
  const databaseProxy = await startDatabaseProxy(url);
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const passwords = { gateway: 'gateway', 'CU-1': 'unit', 'CU-unknown': 'unit' };
  const mosquitto = await startMosquitto(passwords);
  onTestFinished(() => mosquitto.close());
  const gateway = await startService('gateway', [], {
    DATABASE_URL: throughProxy(url, databaseProxy),
    MQTT_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
    MQTT_USERNAME: 'gateway',
    MQTT_PASSWORD: 'gateway',
    MQTT_CONNECTIONS: String(connections),
    METRICS_PORT: '0',
    ...settings,
  });
  onTestFinished(async () => void (await gateway.stop()));
  const health = `http://127.0.0.1:${gateway.ready['metricsPort']}/health`;
  await expect.poll(async () => (await fetch(health)).status).toBe(200);
  const unit = await connectTo(mosquitto, 'CU-1');
  const received: { topic: string; message: unknown }[] = [];
  unit.on('message', (topic, payload) => received.push({ topic, message: JSON.parse(String(payload)) }));
  await unit.subscribeAsync(['counter/v1/CU-1/committed', 'counter/v1/CU-1/time'], { qos: 1 });
  const of = (channel: string) => () =>
    received.filter(({ topic }) => topic.endsWith(channel)).map(({ message }) => message);
  const unknown = await connectTo(mosquitto, 'CU-unknown');
  return { unit, unknown, rows, deviceId, databaseProxy, committed: of('/committed'), times: of('/time') };
}

async function connectTo({ port }: Mosquitto, user: string): Promise<MqttClient> {
  const login = { clientId: user, username: user, password: 'unit', reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, login);
  client.on('error', () => {});
  onTestFinished(async () => void client.end(true));
  return client;
}

async function send(client: MqttClient, serial: string, channel: string, message: unknown): Promise<void> {
  await client.publishAsync(`counter/v1/${serial}/${channel}`, JSON.stringify(message), { qos: 1 });
}
