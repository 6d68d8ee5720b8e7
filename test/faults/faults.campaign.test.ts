import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFailed, test } from 'vitest';
import { faults } from './faults/faults.ts';
import { isFlawless, report } from './report.ts';
import { runCampaign } from './run-campaign.ts';

test('counts every crossing exactly once, and shows it to every reader, in a short campaign with every kind of fault and a restore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-faults-'));
  onTestFailed(() => console.error(`the logs are in ${folder}/logs`));
  const load = { crossings: 6_000, units: 3, gateways: 2 };
  const result = await runCampaign({
    ...load,
    seed: 1,
    kills: 12,
    others: 18,
    minutes: 0.2,
    outage: 0,
    folder,
  });

  expect(Object.keys(result.injected)).toHaveLength(faults.length + 2);
  expect(result.kills).toBe(12);
  expect(isFlawless(result), report(result)).toBe(true);
  await rm(folder, { recursive: true });
}, 900_000);
