import { randomUUID } from 'node:crypto';
import { connect } from '@visitor-counter/database/sql/connect';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { seedDevices } from '../../test/test-gateway.ts';
import { DeviceStates, type WriteResult } from './device-states.ts';

const devices = 10_000;

const failTest = (error: unknown) => {
  throw error;
};

/** The states of 10,000 devices, over a real connection that counts how often it is used. */
async function manyDevices(onError: (error: unknown) => void = failTest) {
  const url = await testDatabase();
  const { seed, companyId } = await seedDevices(url);
  const rows = await seed.query(
    `insert into device (company_id, serial, serial_key, name, secret_hash)
     select $1, 'CU-x-' || n, 'cu-x-' || n, 'x', sha256(n::text::bytea) from generate_series(1, ${devices}) n
     returning id`,
    [companyId],
  );
  const database = connect(url, { applicationName: 'test', maxConnections: 1 });
  let statements = 0;
  database.pool.on('acquire', () => {
    statements += 1;
  });
  const states = new DeviceStates({
    db: database.kysely,
    gatewayId: randomUUID(),
    interval: 1_000,
    onError,
  });
  onTestFinished(async () => {
    await states.close();
    await database.close();
  });
  const senders = rows.map(({ id }, index) => ({
    deviceId: Number(id),
    serial: `CU-x-${index + 1}`,
  }));
  return { seed, states, senders, statements: () => statements };
}

test('writes the heartbeats of 10,000 devices in a few statements, acknowledges each afterwards, and releases its memory', async () => {
  const { seed, states, senders, statements } = await manyDevices();
  const writes: Promise<WriteResult>[] = [];

  for (let round = 1; round <= 3; round += 1) {
    for (const sender of senders) {
      states.record(sender.deviceId, { activityAt: round * 1_000 });
      const heartbeat = { at: round * 1_000, json: JSON.stringify({ at: round }) };
      writes.push(states.recordDurably(sender.deviceId, { heartbeat }, heartbeat.json.length));
    }
  }
  const results = await Promise.all(writes);

  expect(results.filter((result) => result === 'stored')).toHaveLength(3 * devices);
  expect(statements()).toBeLessThan(100);
  expect(states.size).toBe(0);
  expect(
    await seed.query(
      `select count(*)::int as n, min(heartbeat->>'at') as oldest, min(last_activity_at) as active
       from device_state where heartbeat is not null`,
    ),
  ).toEqual([{ n: devices, oldest: '3', active: 3_000 }]);
});
