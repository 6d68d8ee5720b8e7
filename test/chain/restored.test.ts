import { expect, test } from 'vitest';
import { loseAll, recorded, unitAndGateway } from './commanded-unit.ts';

test('a unit redelivers the crossings that a restored database lacks, without an operator', async () => {
  const world = await unitAndGateway();
  const { rows, journal, startAgent, startGateway, stored } = world;
  await loseAll(world, startAgent);

  await startGateway();

  await expect.poll(stored).toBe(recorded);
  const command = { command: 'continue', journal, from: 1 };
  await expect
    .poll(() => rows.query('select command, state from device_command'))
    .toEqual([{ command, state: 'done' }]);
  await expect
    .poll(() => rows.query('select missing::text, accounted::text from journal'))
    .toEqual([{ missing: '{}', accounted: `{[1,${recorded + 1})}` }]);
});
