import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Release, thisRelease } from '@visitor-counter/test/release';
import { expect, onTestFailed, test } from 'vitest';
import { faults } from './faults/faults.ts';
import { nextRelease } from './releases/next-release.ts';
import { previousRelease } from './releases/previous-release.ts';
import { isFlawless, report } from './report.ts';
import { runCampaign } from './run-campaign.ts';

/** The valid messages between units and gateways, by the paths of their files. */
async function messages({ folder }: Release): Promise<Record<string, string>> {
  const samples = join(folder, 'packages/wire/samples/valid');
  const files = await readdir(samples, { recursive: true });
  const json = files.filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    await Promise.all(json.map(async (file) => [file, await readFile(join(samples, file), 'utf8')])),
  );
}

test('counts every crossing exactly once while a unit and the server are upgraded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-upgrade-'));
  onTestFailed(() => console.error(`the logs are in ${folder}/logs`));
  const previous = await previousRelease(join(folder, 'previous'));
  /* Units of the previous release still send these messages, and understand those of their gateway. */
  expect(await messages(thisRelease)).toMatchObject(await messages(previous));
  const releases = { previous, next: await nextRelease(join(folder, 'next')) };
  const load = { crossings: 6_000, units: 3, gateways: 2 };
  const result = await runCampaign({
    ...load,
    releases,
    folder,
    seed: 2,
    kills: 14,
    others: 16,
    minutes: 0.5,
    outage: 0,
  });

  expect(Object.keys(result.injected)).toHaveLength(faults.length + 2);
  expect(result.kills).toBe(14);
  expect(isFlawless(result), report(result)).toBe(true);
  await rm(folder, { recursive: true });
}, 900_000);
