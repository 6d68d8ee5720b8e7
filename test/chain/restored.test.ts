import { seed } from '@visitor-counter/test/seed';
import { expect, test, vi } from 'vitest';
import { patience, recorded, unitAndGateway } from './commanded-unit.ts';

/** Long enough to reconnect after the restore while other tests use the machine. */
const long = { timeout: 120_000, interval: 250 };

test('a unit redelivers the crossings that a restored database lacks, without an operator', async () => {
  const { database, journal, startAgent, startGateway, stored } = await unitAndGateway();
  const rows = seed(database.url);
  await database.dump();
  const before = await startGateway();
  const agent = await startAgent();
  await vi.waitFor(async () => expect(await stored()).toBe(recorded), patience);
  await vi.waitFor(() => expect(agent.output()).toContain(`"acknowledged":${recorded}`), patience);
  await before.kill();
  await database.restore();
  expect(await stored()).toBe(0);

  await startGateway();

  await vi.waitFor(async () => expect(await stored()).toBe(recorded), patience);
  await vi.waitFor(
    async () => expect(await rows.query('select from device_recovery')).toHaveLength(0),
    patience,
  );
  const commands = await rows.query('select command, state from device_command');
  const command = { command: 'resend', journal, first: 1, last: recorded };
  expect(commands).toEqual([{ command, state: 'done' }]);
  expect(await rows.query('select from journal_missing')).toHaveLength(0);
  expect(await rows.query('select through::int, checked::int from journal_progress')).toEqual([
    { through: recorded, checked: recorded },
  ]);
});

test('a database restored while gateway and unit run is completed without a restart', async () => {
  const { database, startAgent, startGateway, stored } = await unitAndGateway();
  const rows = seed(database.url);
  await database.dump();
  const gateway = await startGateway();
  const agent = await startAgent();
  await vi.waitFor(() => expect(agent.output()).toContain(`"acknowledged":${recorded}`), patience);
  expect(await stored()).toBe(recorded);

  await database.restore();
  expect(await stored()).toBeLessThan(recorded);

  await vi.waitFor(async () => expect(await stored()).toBe(recorded), long);
  await vi.waitFor(async () => expect(await rows.query('select from device_recovery')).toHaveLength(0), long);
  expect(await rows.query('select from journal_missing')).toHaveLength(0);
  expect(await rows.query('select from rejected_message')).toHaveLength(0);
  expect(await rows.query('select sum(direction)::int from crossing')).toEqual([{ sum: 0 }]);
  const health = `http://127.0.0.1:${gateway.ready['metricsPort']}/ready`;
  await vi.waitFor(async () => expect((await fetch(health)).status).toBe(200), patience);
}, 240_000);
