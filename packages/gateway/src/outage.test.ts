import { readIngestLife } from '@visitor-counter/database/alerts/open-alerts';
import { connect } from '@visitor-counter/database/sql/connect';
import { eventually } from '@visitor-counter/test/eventually';
import { scrape } from '@visitor-counter/test/scrape';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { asStored, entries, stored } from '../test/crossings.ts';
import { type RunningGateway, seedDevices, startOn, startTestGateway } from '../test/test-gateway.ts';
import type { GatewayLimits } from './start/config.ts';

async function gatewayBehindProxy(limits: Partial<GatewayLimits> = {}) {
  const url = await testDatabase();
  const seeded = await seedDevices(url);
  const proxy = await startDatabaseProxy(url);
  const gateway = await startOn(throughProxy(url, proxy), limits);
  return { ...gateway, ...seeded, proxy };
}

const health = async (port: number) => (await fetch(`http://127.0.0.1:${port}/health`)).status;

test('acknowledges nothing while the database is unavailable, and everything afterwards, in order', async () => {
  const gateway = await gatewayBehindProxy();
  const { proxy, mqttPort: port, metricsPort, serial } = gateway;
  const unit = await connectUnit({ port, serial });
  await unit.crossings('j1', 1, entries(1, 1));
  expect(await health(metricsPort)).toBe(200);

  proxy.refuse();
  const acknowledged: number[] = [];
  const sent = entries(2, 50).map(async (entry, index) => {
    await unit.crossings('j1', 2 + index, [entry]);
    acknowledged.push(2 + index);
  });
  await expect.poll(() => health(metricsPort)).toBe(503);
  await expect(connectUnit({ port, serial })).rejects.toMatchObject({ code: 3 });
  expect(acknowledged).toEqual([]);
  expect(await stored(gateway)).toHaveLength(1);

  proxy.carry();
  await Promise.all(sent);
  expect(acknowledged).toEqual(Array.from({ length: 50 }, (_, index) => 2 + index));
  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, entries(1, 51)));
  await expect.poll(() => health(metricsPort)).toBe(200);
});

test('closes a connection without PUBACK when the database hangs, and stores the message once when it is redelivered', async () => {
  const gateway = await gatewayBehindProxy({ wait: 500 });
  const { proxy, mqttPort: port, serial } = gateway;
  /* On a busy machine storing takes longer than this gateway waits. */
  const deliver = (count: number) =>
    eventually(async () => {
      const connected = await connectUnit({ port, serial });
      await connected.crossings('j1', 1, entries(1, count));
      return connected;
    });
  const unit = await deliver(1);

  proxy.swallow();
  await expect(unit.crossings('j1', 2, entries(2, 3))).rejects.toThrow('the connection ended');
  proxy.carry();

  await deliver(4);
  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, entries(1, 4)));
});

test('is not ready while a lock prevents it from storing, and stores everything afterwards', async () => {
  const gateway = await startTestGateway();
  const { mqttPort: port, metricsPort, serial, url } = gateway;
  const unit = await connectUnit({ port, serial });
  await unit.crossings('j1', 1, entries(1, 1));
  const operator = connect(url, { applicationName: 'operator', maxConnections: 1 });
  onTestFinished(operator.close);
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/ready`);
    return [answer.status, await answer.json()];
  };

  await operator.pool.query('begin');
  await operator.pool.query('lock table crossing');
  const sent = unit.crossings('j1', 2, entries(2, 3));
  const problem = expect.stringMatching(/^nothing has been stored for \d+ s$/);
  await expect.poll(ready).toEqual([503, { status: 'unavailable', roles: { gateway: problem } }]);
  /* Another connection writes every two seconds that this gateway stores messages. */
  const age = async () => Date.now() - (await readIngestLife(operator.kysely)).seenAt;
  await expect.poll(age).toBeGreaterThan(3_000);
  await operator.pool.query('commit');
  await sent;

  await expect.poll(ready).toEqual([200, { status: 'ok', roles: { gateway: 'ok' } }]);
  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, entries(1, 4)));
});

test('stays not ready while units whose messages cannot be stored are disconnected and come back', async () => {
  const { mqttPort: port, metricsPort, serial, seed } = await startTestGateway({ wait: 3_000 });
  await seed.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise sqlstate '53100'; end $$;
    create trigger refuse before insert on crossing for each statement execute function refuse()`);
  const deliver = async () => {
    const unit = await connectUnit({ port, serial });
    await unit.crossings('j1', 1, entries(1, 3));
  };
  await expect(deliver()).rejects.toThrow('the connection ended');
  expect(await health(metricsPort)).toBe(503);
  const delivering = deliver();
  expect(await health(metricsPort)).toBe(503);
  await seed.query('drop trigger refuse on crossing');

  await delivering;
  await expect.poll(() => health(metricsPort)).toBe(200);
});

test('stores everything once while connections to the database are cut at any moment', async () => {
  const gateway = await gatewayBehindProxy();
  const { proxy, mqttPort: port, seed, serial } = gateway;
  const unit = await connectUnit({ port, serial });
  const sent = entries(1, 3_000).map((entry, index) => unit.crossings('j1', 1 + index, [entry]));
  let done = false;
  const all = Promise.all(sent).then(() => {
    done = true;
  });

  for (let cuts = 0; cuts < 20 && !done; cuts += 1) {
    await seed.query(terminateOthers);
    proxy.cut();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;

  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, entries(1, 3_000)));
});

test('acknowledges no heartbeat and no status while the database is unavailable, and both afterwards', async () => {
  const gateway = await gatewayBehindProxy();
  const { proxy, mqttPort: port, seed, serial, deviceId } = gateway;
  const unit = await connectUnit({ port, serial });
  await unit.publish('heartbeat', '{"at":1}');

  proxy.refuse();
  let acknowledged = 0;
  const sent = [unit.publish('heartbeat', '{"at":2}'), unit.publish('status', 'online')].map(async (done) => {
    await done;
    acknowledged += 1;
  });
  await expect.poll(() => unwritten(gateway)).toBeGreaterThan(0);
  await expect.poll(() => failures(gateway)).toBeGreaterThan(1);
  expect(acknowledged).toBe(0);

  proxy.carry();
  await Promise.all(sent);
  expect(
    await seed.query('select heartbeat, online from device_state where device_id = $1', [deviceId]),
  ).toEqual([{ heartbeat: { at: 2 }, online: true }]);
});

test('survives 300 units that reconnect repeatedly while the database is unavailable, and stores all their crossings', async () => {
  const gateway = await gatewayBehindProxy({ wait: 2_000 });
  const { proxy, mqttPort: port, seed } = gateway;
  const serials = Array.from({ length: 300 }, (_, index) => `CU-many-${index}`);
  for (const serial of serials)
    await seed.device({ companyId: gateway.companyId, storeId: gateway.storeId, serial });
  /* Units try again when the gateway is too busy to check their secrets in time. */
  const connected = (serial: string) => eventually(() => connectUnit({ port, serial }));
  const units = await Promise.all(serials.map(connected));
  proxy.refuse();
  const dialled = proxy.accepted();

  const cut = await Promise.allSettled(units.map((unit) => unit.crossings('j1', 1, entries(1, 20))));
  expect(cut.every(({ status }) => status === 'rejected')).toBe(true);
  const tries = Array.from({ length: 5 }, () =>
    Promise.allSettled(serials.map((serial) => connectUnit({ port, serial }))),
  );
  /* On a busy machine the time for a login passes before some are refused. */
  for (const one of (await Promise.all(tries)).flat())
    expect(one).toMatchObject({ status: 'rejected', reason: { code: expect.toBeOneOf([3, 'ECONNRESET']) } });
  /* 1,500 logins, and the gateway's own attempts to get its connections back, which continue as long as the test. */
  expect(proxy.accepted() - dialled).toBeLessThan(750);
  /* Messages are dropped after their waiting time, and their memory is released. */
  await expect.poll(() => metric(gateway, 'connections')).toBe(0);
  expect(await metric(gateway, 'queue_bytes')).toBe(0);
  expect(await metric(gateway, 'unwritten_states')).toBeLessThanOrEqual(300);

  proxy.carry();
  const deliver = async (serial: string) => {
    const unit = await connectUnit({ port, serial });
    await unit.crossings('j1', 1, entries(1, 20));
  };
  await Promise.all(serials.map((serial) => eventually(() => deliver(serial))));
  expect(await seed.query('select count(*)::int as stored from crossing')).toEqual([{ stored: 6_000 }]);
});

/** A number among the metrics. */
async function metric({ metricsPort }: RunningGateway, name: string): Promise<number> {
  return (await scrape(metricsPort)).get(`visitor_counter_${name}`) ?? Number.NaN;
}

const unwritten = (gateway: RunningGateway) => metric(gateway, 'unwritten_states');
const failures = (gateway: RunningGateway) => metric(gateway, 'state_failures_total');

const terminateOthers = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'visitor-counter gateway'`;
