import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectDerived } from '@visitor-counter/test/expect-derived';
import { given } from '@visitor-counter/test/given';
import { expect, onTestFailed, test } from 'vitest';
import { faults } from './faults/faults.ts';
import { runCampaign } from './run-campaign.ts';

const options = {
  seed: given('SEED', 1),
  kills: given('KILLS', 12),
  others: given('OTHERS', 18),
  crossings: given('CROSSINGS', 6_000),
  minutes: given('MINUTES', 0.2),
  units: given('UNITS', 3),
  gateways: 2,
};

test('counts every crossing exactly once, and publishes it to every reader, in a campaign with every kind of fault and a restore', {
  timeout: 900_000 + 300_000 * options.minutes,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-faults-'));
  onTestFailed(() => console.error(`seed ${options.seed}, the logs are in ${folder}/logs`));
  const result = await runCampaign({ ...options, folder }, expectDerived);
  console.log(result);

  const { kills, crossings } = options;
  expect(Object.keys(result.injected)).toHaveLength(faults.length + 2);
  expect(result).toMatchObject({
    kills,
    problems: [],
    stored: { crossings, lost: 0, doubled: 0, invented: 0, misplaced: 0, rejected: 0 },
    published: { events: crossings, lost: 0, doubled: 0, wrong: 0 },
  });
  await rm(folder, { recursive: true });
});
