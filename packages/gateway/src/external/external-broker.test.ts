import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { topic } from '@visitor-counter/wire/topics';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { asStored, entries, rejected, stored } from '../../test/crossings.ts';
import { startTestGateway } from '../../test/test-gateway.ts';

/**
 * A gateway that consumes from a broker without shared subscriptions, and a unit at that broker. Of each committed
 * position, `committed` returns the sequence.
 */
async function gatewayWithBroker(limits: Readonly<Record<string, string>> = {}) {
  const broker = await Aedes.createBroker();
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port });
  const settings = { MQTT_URL: `mqtt://127.0.0.1:${proxy.port}`, MQTT_SUBSCRIPTIONS: 'plain', ...limits };
  const gateway = await startTestGateway({}, settings);
  const health = `http://127.0.0.1:${gateway.metricsPort}/health`;
  await expect.poll(async () => (await fetch(health)).status).toBe(200);
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: gateway.serial });
  onTestFinished(async () => {
    await client.endAsync(true);
    server.close();
    await new Promise<void>((resolve) => broker.close(resolve));
  });
  const publish = (channel: 'crossings' | 'heartbeat', payload: string) =>
    client.publishAsync(topic(gateway.serial, channel), payload, { qos: 1 });
  const sendCrossing = (sequence: number) =>
    publish('crossings', JSON.stringify({ journal: 'j1', first: sequence, crossings: entries(sequence, 1) }));
  const positions: number[] = [];
  client.on('message', (_, payload) => positions.push(JSON.parse(String(payload)).through));
  await client.subscribeAsync(topic(gateway.serial, 'committed'), { qos: 1 });
  return { gateway, proxy, health, publish, sendCrossing, committed: () => positions };
}

test('stores a heartbeat with the payload of a status as rejected', async () => {
  const { gateway, publish } = await gatewayWithBroker();

  await publish('heartbeat', 'online');

  await expect
    .poll(() => rejected(gateway))
    .toMatchObject([{ topic: topic(gateway.serial, 'heartbeat'), payload: 'online' }]);
});

test('stores every crossing once and publishes the committed position although connections are cut', async () => {
  const { gateway, proxy, sendCrossing, committed } = await gatewayWithBroker();

  for (let sequence = 1; sequence <= 60; sequence += 1) {
    if (sequence % 20 === 0) proxy.cut();
    await sendCrossing(sequence);
  }

  await expect.poll(() => stored(gateway)).toEqual(asStored(gateway.serial, 'j1', 1, entries(1, 60)));
  await expect
    .poll(async () => {
      await sendCrossing(60);
      return committed().at(-1);
    })
    .toBe(60);
});

test('reports why it is not connected to the broker', async () => {
  const { proxy, health } = await gatewayWithBroker();
  const problem = async () => Object(await (await fetch(health)).json()).roles.gateway;
  expect(await problem()).toBe('ok');

  proxy.refuse();

  await expect.poll(problem).toMatch(/^0 of 3 connections to mqtt:.* are up: .*ECONNRESET/);
});

test('publishes a committed position beyond acknowledged crossings that the database lacks', async () => {
  const { publish, sendCrossing, committed } = await gatewayWithBroker();
  await sendCrossing(1);
  await expect.poll(() => committed().at(-1)).toBe(1);

  await publish('heartbeat', JSON.stringify({ at: 1, journal: 'j1', acknowledged: 9 }));
  await expect.poll(() => committed().at(-1)).toBe(9);
  await sendCrossing(10);

  await expect.poll(() => committed().at(-1)).toBe(10);
});

test('stops although the broker does not answer', async () => {
  const { gateway, proxy, sendCrossing } = await gatewayWithBroker();
  await sendCrossing(1);
  await expect.poll(() => stored(gateway)).toHaveLength(1);
  for (let sequence = 2; sequence <= 60; sequence += 1) await sendCrossing(sequence);

  proxy.swallow();
  await gateway.close();
});

test('publishes the committed position of a journal beyond the limit of its device, whichever part arrives first', async () => {
  const { gateway, publish, committed } = await gatewayWithFullDevice();
  const send = (first: number, crossings: readonly unknown[]) =>
    publish('crossings', JSON.stringify({ journal: 'j', first, crossings }));

  await send(4, [...entries(4, 1), 'no entry']);
  await send(2, ['no entry', ...entries(3, 1)]);
  await expect.poll(() => rejected(gateway)).toHaveLength(4);
  await publish('crossings', JSON.stringify({ journal: 'j1', first: 1, crossings: entries(1, 9) }));
  await expect.poll(committed).toEqual([9]);
  await send(1, entries(1, 1));
  await expect.poll(committed).toEqual([9, 5]);
  await publish('heartbeat', JSON.stringify({ at: 1, journal: 'j', acknowledged: 5, lost: [['j', 6, 7]] }));
  await expect.poll(committed).toEqual([9, 5, 7]);

  expect(await rejected(gateway)).toHaveLength(5);
});

test('publishes no committed position for crossings that could not be stored', async () => {
  const { gateway, publish, committed } = await gatewayWithFullDevice();
  await gateway.seed.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     select $1, 't', 'malformed', '', sha256(n::text::bytea) from generate_series(1, 10000) n`,
    [gateway.deviceId],
  );

  await publish('crossings', JSON.stringify({ journal: 'j', first: 1, crossings: entries(1, 1) }));
  await publish('crossings', JSON.stringify({ journal: 'j1', first: 1, crossings: entries(1, 9) }));

  await expect.poll(committed).toEqual([9]);
  await publish(
    'heartbeat',
    JSON.stringify({ at: 1, journal: 'j1', acknowledged: 9, lost: [['j1', 10, 11]] }),
  );
  await expect.poll(() => committed().at(-1)).toBe(11);
});

/** Its device has a hundred journals, and may have no more. */
async function gatewayWithFullDevice() {
  const connected = await gatewayWithBroker({ INGEST_JOURNALS: '100' });
  const { gateway } = connected;
  await gateway.seed.query(
    `insert into journal (device_id, name) select $1, 'j' || n from generate_series(1, 100) n`,
    [gateway.deviceId],
  );
  return connected;
}
