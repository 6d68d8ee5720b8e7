import { holdLock } from '@visitor-counter/test/held-lock';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { expect, test } from 'vitest';
import { asStored, at, entries, rejected, stored, waitingInserts } from '../../test/crossings.ts';
import { sharedGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway();

test('acknowledges a crossing only when another connection can read it', async () => {
  const { seed, mqttPort, storeId, serial, deviceId } = await testDevices();
  const unit = await connectUnit({ port: mqttPort, serial });

  await unit.crossings('j1', 1, [
    [at, 1],
    [at + 1, -1, 250],
  ]);

  const rows = await seed.query(
    `select device_id, store_id, sequence, (extract(epoch from at) * 1000)::float8 as at, direction, uncertainty_ms
     from crossing where device_id = $1 order by sequence`,
    [deviceId],
  );
  const common = { device_id: deviceId, store_id: storeId };
  expect(rows).toEqual([
    { ...common, sequence: 1, at, direction: 1, uncertainty_ms: null },
    { ...common, sequence: 2, at: at + 1, direction: -1, uncertainty_ms: 250 },
  ]);
});

test.each([
  { what: 'a first crossing', before: 0 },
  { what: 'a crossing after others', before: 2 },
])('acknowledges $what only after the commit, however long that takes', async ({ before }) => {
  const { seed, url, mqttPort, serial } = await testDevices();
  const unit = await connectUnit({ port: mqttPort, serial });
  for (let first = 1; first <= before; first += 1) await unit.crossings('j1', first, entries(first, 1));
  const holder = await holdLock(url, 'lock table crossing in access exclusive mode');
  let acknowledged = false;
  const sent = unit.crossings('j1', before + 1, entries(before + 1, 1)).then(() => {
    acknowledged = true;
  });

  await expect.poll(() => seed.query(waitingInserts)).toHaveLength(1);
  await unit.publish('status', 'online');
  expect(acknowledged).toBe(false);

  await holder.release();
  await sent;
});

test('counts a crossing once, however it is redelivered', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const sent = entries(1, 20);
  const send = (first: number, last: number) => unit.crossings('j1', first, sent.slice(first - 1, last));

  await Promise.all([send(1, 7), send(5, 12), send(1, 20)]);
  await Promise.all([send(20, 20), send(3, 4), send(1, 20), send(1, 20)]);

  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, sent));
  expect(await rejected(gateway)).toEqual([]);
});

test('counts a crossing from a clock that is fast once, with the uncertainty of its first arrival', async () => {
  const gateway = await testDevices();
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const ahead = Date.now() + 9 * 3_600_000;
  const read = () =>
    gateway.seed.query(
      'select uncertainty_ms::float8 as uncertainty, count(*) over ()::integer as count from crossing where device_id = $1',
      [gateway.deviceId],
    );

  await unit.crossings('j1', 1, [[ahead, 1]]);
  const first = await read();
  expect(first).toEqual([{ uncertainty: expect.any(Number), count: 1 }]);
  expect(first[0]?.['uncertainty']).toBeGreaterThan(8 * 3_600_000);
  await unit.crossings('j1', 1, [[ahead, 1]]);
  await unit.crossings('j1', 1, [[ahead, 1, 5]]);

  expect(await read()).toEqual(first);
  expect(await rejected(gateway)).toEqual([]);
});

test('distinguishes journals and devices', async () => {
  const gateway = await testDevices();
  const { serial, other } = gateway;
  const first = await connectUnit({ port: gateway.mqttPort, serial });
  const second = await connectUnit({ port: gateway.mqttPort, serial: other });
  const sent = entries(1, 2);

  await Promise.all([
    first.crossings('j1', 1, sent),
    first.crossings('j2', 1, sent),
    second.crossings('j1', 1, sent),
  ]);

  expect(await stored(gateway)).toEqual([
    ...asStored(serial, 'j1', 1, sent),
    ...asStored(serial, 'j2', 1, sent),
    ...asStored(other, 'j1', 1, sent),
  ]);
});

test('stores the first of two crossings under one key, and the other one as rejected, once', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const sent = entries(1, 3);
  await unit.crossings('j1', 1, sent);
  const other = [sent[0], [at + 5, -1], [...(sent[2] ?? []), 250]];

  await unit.crossings('j1', 1, other);
  await unit.crossings('j1', 1, other);

  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, sent));
  expect(await rejected(gateway)).toEqual([
    {
      serial,
      topic: topic(serial, 'crossings'),
      reason: 'conflict: another crossing is stored under this journal and sequence',
      payload: JSON.stringify({ journal: 'j1', entries: [2, 3].map((n) => [n, other[n - 1]]) }),
    },
  ]);
});

test('stores the first of two crossings under one key in one message', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await Promise.all([unit.crossings('j1', 1, [[at, 1]]), unit.crossings('j1', 1, [[at, -1]])]);

  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 1, [[at, 1]]));
  expect(await rejected(gateway)).toMatchObject([{ payload: `{"journal":"j1","entries":[[1,[${at},-1]]]}` }]);
});

test('assigns a crossing to a store by its instant', async () => {
  const { seed, deviceId, companyId, storeId, mqttPort, serial } = await testDevices();
  const later = await seed.store({ companyId, sid: 'S-2' });
  await seed.move(deviceId, later, at + 2_000);
  const unit = await connectUnit({ port: mqttPort, serial });

  await unit.crossings('j1', 1, [
    [at + 2_000, 1],
    [at + 1_999, 1],
  ]);

  const rows = await seed.query(
    'select sequence::int, store_id from crossing where device_id = $1 order by sequence',
    [deviceId],
  );
  expect(rows).toEqual([
    { sequence: 1, store_id: later },
    { sequence: 2, store_id: storeId },
  ]);
});

test('lets a retired device deliver its pending crossings', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  await gateway.seed.query('update device set retired_at = now() where id = $1', [gateway.deviceId]);
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.crossings('j1', 1, entries(1, 1));

  expect(await stored(gateway)).toHaveLength(1);
});
