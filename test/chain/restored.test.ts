import { backUp } from '@visitor-counter/test/backup';
import { expect, test } from 'vitest';
import { loseAll, recorded, unitAndGateway } from './commanded-unit.ts';

test('a unit redelivers the crossings that a restored database lacks, without an operator', async () => {
  const world = await unitAndGateway();
  const { rows, journal, startAgent, startGateway, stored } = world;
  await loseAll(world, startAgent);

  await startGateway();

  await expect.poll(stored).toBe(recorded);
  const command = { command: 'resend', journal, first: 1, last: recorded };
  await expect
    .poll(() => rows.query('select command, state from device_command'))
    .toEqual([{ command, state: 'done' }]);
  await expect
    .poll(() => rows.query('select missing::text, accounted::text from journal'))
    .toEqual([{ missing: '{}', accounted: `{[1,${recorded + 1})}` }]);
});

test('a database restored while gateway and unit run is completed without a restart', async () => {
  const { url, rows, startAgent, startGateway, stored } = await unitAndGateway();
  const backup = await backUp(url);
  const gateway = await startGateway();
  const agent = await startAgent();
  await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
  expect(await stored()).toBe(recorded);

  await backup.restore();
  expect(await stored()).toBeLessThan(recorded);

  await expect.poll(stored).toBe(recorded);
  await expect.poll(() => rows.query('select from journal where missing_since is not null')).toHaveLength(0);
  expect(await rows.query('select from rejected_message')).toHaveLength(0);
  expect(await rows.query('select sum(direction)::int from crossing')).toEqual([{ sum: 0 }]);
  const health = `http://127.0.0.1:${gateway.ready['metricsPort']}/ready`;
  await expect.poll(async () => (await fetch(health)).status).toBe(200);
});
