import { applyFile } from '@visitor-counter/test/admin';
import { given } from '@visitor-counter/test/given';
import { seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { topic } from '@visitor-counter/wire/topics';
import mqtt, { type MqttClient } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { discardRejected } from './discard-rejected.ts';
import { type ExtremeMessage, ExtremeMessages } from './extreme-messages.ts';
import { credentials, type ReadRequest, readEverything, readHealth } from './read-requests.ts';

const secretOf = (serial: string) => `the-secret-of-unit-${serial}`;

const topology = {
  companies: [
    {
      name: 'Acme',
      stores: [
        { sid: 'S-1', name: 'Main', timeZone: 'Europe/Berlin', capacity: 3 },
        { sid: 'S-2', name: 'Annex', timeZone: 'America/Los_Angeles', dayStartsAt: '04:30' },
      ],
      shopGroups: [{ name: 'Group', stores: ['S-1', 'S-2'] }],
      devices: ['CU-1', 'CU-2'].map((serial) => ({ serial, secret: secretOf(serial), store: 'S-1' })),
      credentials: [
        { kind: 'counts', label: 'counts', value: credentials.counts },
        { kind: 'life-signal', label: 'life signal', value: credentials.lifeSignal },
        { kind: 'staff', label: 'staff', value: credentials.staff },
      ],
    },
  ],
};

const messages = given('MESSAGES', 40);

test('answers all readers and stores all honest crossings under extreme heartbeats and crossings', {
  timeout: 900_000 + 1_000 * messages,
}, async () => {
  const url = await testDatabase();
  await applyFile(JSON.stringify(topology), { DATABASE_URL: url });
  const services: ServiceProcess[] = [];
  const start = async (role: 'gateway' | 'api' | 'alerts') => {
    const ports = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' };
    const settings = { LOG_LEVEL: 'error', API_REQUESTS_PER_MINUTE: '1000000' };
    const service = await startService(role, [], { DATABASE_URL: url, ...ports, ...settings });
    onTestFinished(async () => void (await service.stop()));
    services.push(service);
    return service;
  };
  const port = Number((await start('gateway')).ready['mqttPort']);
  await start('alerts');
  const readers = readersOf(await start('api'));
  const operator = discardRejected(url);
  onTestFinished(() => operator.stop());

  const stopping = new AbortController();
  const counting = countHonestly(port, stopping.signal);
  await sendAll(port, extremes(), () => readers.read(readHealth()));
  await readers.read(readEverything());
  stopping.abort();
  const acknowledged = await counting;

  /* Another api reads all stored data again. */
  const later = readersOf(await start('api'));
  await later.read(readEverything());
  expect([...readers.faults, ...later.faults]).toEqual([]);
  expect(services.map((service) => service.output().match(/^\{.*/gm))).toEqual(services.map(() => null));
  expect(acknowledged).toBeGreaterThan(10);
  const stored = await seed(url).query(
    `select count(*)::int from crossing join journal on journal.id = journal_id where name = 'honest'`,
  );
  expect(stored).toEqual([{ count: acknowledged }]);
});

/** Extremes of every field, all of them in a long campaign, and then drawn messages. */
function* extremes(): Generator<ExtremeMessage> {
  const drawn = new ExtremeMessages(given('SEED', 1));
  const every = [...drawn.everyField()];
  const step = messages < 1_000 ? Math.ceil(every.length / messages) : 1;
  yield* every.filter((_, index) => index % step === 0);
  for (let index = 0; index < messages; index += 1) yield drawn.next();
}

/** Sends requests one after the other, and keeps each answer of the status 500 or more, and each that breaks off. */
function readersOf({ ready }: ServiceProcess) {
  const faults = new Set<string>();
  const read = async (requests: readonly ReadRequest[]) => {
    for (const { path, init } of requests) {
      const problem = await fetch(`http://127.0.0.1:${ready['httpPort']}${path}`, init).then(
        async (answer) => {
          const text = await answer.text();
          return answer.status < 500 ? undefined : `${answer.status} ${text.slice(0, 300)}`;
        },
        String,
      );
      if (problem !== undefined) faults.add(`${path}: ${problem}`);
    }
  };
  return { faults, read };
}

async function logIn(port: number, serial: string): Promise<MqttClient> {
  const account = { clientId: serial, username: serial, password: secretOf(serial), reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, account, false);
  return client.on('error', () => {});
}

/** Whether the gateway acknowledges the message; otherwise it ends the connection. */
async function isAcknowledged(client: MqttClient, name: string, payload: string): Promise<boolean> {
  const cut = Promise.withResolvers<false>();
  const onClose = () => cut.resolve(false);
  client.once('close', onClose);
  const sent = client.publishAsync(name, payload, { qos: 1 }).then(
    () => true,
    () => false,
  );
  const result = await Promise.race([sent, cut.promise]);
  client.off('close', onClose);
  return result;
}

/** The hostile unit sends each message once, and connects again when the gateway has ended its connection. */
async function sendAll(port: number, all: Iterable<ExtremeMessage>, onMessage: () => Promise<void>) {
  let client = await logIn(port, 'CU-1');
  for (const { channel, payload } of all) {
    if (!client.connected) client = await logIn(port, 'CU-1');
    await isAcknowledged(client, topic('CU-1', channel), payload);
    await onMessage();
  }
  await client.endAsync(true);
}

/** Counts at the store of the hostile unit; returns the number of acknowledged crossings. */
async function countHonestly(port: number, stopping: AbortSignal): Promise<number> {
  const client = await logIn(port, 'CU-2');
  let acknowledged = 0;
  while (!stopping.aborted) {
    const first = acknowledged + 1;
    const crossings = [[Date.now(), first % 2 === 1 ? 1 : -1]];
    const payload = JSON.stringify({ journal: 'honest', first, crossings });
    if (!(await isAcknowledged(client, topic('CU-2', 'crossings'), payload))) break;
    acknowledged = first;
  }
  await client.endAsync(true);
  return acknowledged;
}
