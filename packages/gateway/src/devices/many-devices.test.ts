import { connect } from '@visitor-counter/database/sql/connect';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../ingest/ingest-result.ts';
import { seedDevices } from '../testing/test-gateway.ts';
import { DeviceStates } from './device-states.ts';

const devices = 10_000;

/** The states of 10,000 devices, over a real connection that counts how often it is used. */
async function manyDevices() {
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
    pool: database.pool,
    interval: 1_000,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    await states.close();
    await database.close();
  });
  const senders = rows.map(({ id }, index) => ({
    ...{ deviceId: Number(id), serial: `CU-x-${index + 1}`, generation: 1n, heldBytes: 0 },
  }));
  return { seed, states, senders, statements: () => statements };
}

test('writes the heartbeats of 10,000 devices in a few statements, acknowledges each after, and holds nothing', async () => {
  const { seed, states, senders, statements } = await manyDevices();
  const outcomes = new Map<Outcome, number>();
  const told: Promise<void>[] = [];

  for (let round = 1; round <= 3; round += 1) {
    for (const sender of senders) {
      states.note(sender.deviceId, { activityAt: round * 1_000 });
      const heartbeat = { at: round * 1_000, json: JSON.stringify({ at: round }) };
      const { promise, resolve } = Promise.withResolvers<void>();
      told.push(promise);
      states.noteDurably(sender, { heartbeat }, heartbeat.json.length, (outcome) => {
        outcomes.set(outcome, 1 + (outcomes.get(outcome) ?? 0));
        resolve();
      });
    }
  }
  await Promise.all(told);

  expect([...outcomes]).toEqual([['stored', 3 * devices]]);
  expect(statements()).toBeLessThan(100);
  expect(states.size).toBe(0);
  expect(
    await seed.query(
      `select count(*)::int as n, min(heartbeat->>'at') as oldest, min(last_activity_at) as active
       from device_state where heartbeat is not null`,
    ),
  ).toEqual([{ n: devices, oldest: '3', active: new Date(3_000) }]);
});

test('takes no more from one client than its share, whatever else that has on its way, and tells it so', async () => {
  const { states, senders } = await manyDevices();
  const [sender] = senders;
  if (sender === undefined) throw new Error('no device');
  const outcomes: Outcome[] = [];
  const send = (times: number) => {
    for (let n = 0; n < times; n += 1) {
      states.noteDurably(
        { ...sender, heldBytes: 8 * 1024 * 1024 },
        { heartbeat: { at: n, json: '{}' } },
        64 * 1024,
        (outcome) => outcomes.push(outcome),
      );
    }
  };

  send(100);
  await states.flush();

  expect(outcomes.filter((one) => one === 'overloaded').length).toBeGreaterThan(80);
  expect(outcomes).toHaveLength(100);
  send(10);
  await states.flush();
  expect(outcomes.slice(100)).toEqual(Array.from({ length: 10 }, () => 'stored'));
});
