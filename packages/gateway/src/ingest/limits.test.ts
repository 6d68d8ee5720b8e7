import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { type Entry, entries, rejected, stored } from '../../test/crossings.ts';
import { startTestGateway } from '../../test/test-gateway.ts';

const day = 24 * 60 * 60 * 1_000;

test('stores a crossing that is older than the limit as rejected, and acknowledges it', async () => {
  const gateway = await startTestGateway();
  await gateway.seed.query('update company set retention_months = null');
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const now = Date.now();

  await unit.crossings('j', 1, [
    [Date.UTC(2001, 0, 1), 1],
    [now - 401 * day, 1],
    [now - 399 * day, 1],
  ]);

  expect((await stored(gateway)).map((row) => row['sequence'])).toEqual([3]);
  expect(await rejected(gateway)).toMatchObject([
    { reason: 'old: before the first day that the company keeps' },
  ]);
});

test('rejects crossings of more journals than a device may have, and stores those of its other journals', async () => {
  const gateway = await startTestGateway();
  const { seed, deviceId, serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.crossings('known', 1, entries(1, 1));
  await seed.query(
    `insert into journal (device_id, name) select $1, 'j' || n from generate_series(1, 999) n`,
    [deviceId],
  );

  await unit.crossings('another', 1, entries(1, 2));
  await unit.crossings('known', 2, entries(2, 1));

  expect(await stored(gateway)).toHaveLength(2);
  expect(await rejected(gateway)).toMatchObject([{ reason: 'limit: more than 1000 journals' }]);
});

test('stores pending crossings of 30 days of a very busy door', async () => {
  const gateway = await startTestGateway();
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const first = Date.now() - 30 * day;
  const batches = Array.from({ length: 300 }, (_, index) => {
    const crossings = Array.from(
      { length: 1_000 },
      (_, n): Entry => [first + 8_640 * (1_000 * index + n), 1],
    );
    return unit.crossings('j', index * 1_000 + 1, crossings);
  });
  await Promise.all(batches);

  const [count] = await gateway.seed.query('select count(*)::int as n from crossing');
  expect(count).toEqual({ n: 300_000 });
  expect(await rejected(gateway)).toEqual([]);
});

test('slows down and reports a device that sends more than its rate allows, and stores everything', async () => {
  const limits = { MQTT_BURST_BYTES: '20000', MQTT_BYTES_PER_SECOND: '20000' };
  const gateway = await startTestGateway({}, limits);
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  for (let sequence = 1; sequence <= 2_001; sequence += 1_000)
    await unit.crossings('j', sequence, entries(sequence, 1_000));

  expect(await stored(gateway)).toHaveLength(3_000);
  const exceeded = () =>
    gateway.seed.query('select from device_state where device_id = $1 and rate_exceeded_at <= now()', [
      gateway.deviceId,
    ]);
  await expect.poll(exceeded).toHaveLength(1);
});
