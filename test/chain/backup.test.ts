import { expectDerived } from '@visitor-counter/test/expect-derived';
import { holdLock } from '@visitor-counter/test/held-lock';
import { seed } from '@visitor-counter/test/seed';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { recorded, unitAndGateway } from './commanded-unit.ts';
import { expectWholeJournals, startIngestLoad } from './ingest-load.ts';
import { backUpInto, operator, restoreFrom } from './operator.ts';
import { restoreRounds } from './restore-rounds.ts';

test('backups that are taken while crossings are stored restore completely', async () => {
  await restoreRounds(2);
});

test('after a restore under load, storing continues, and occupancy agrees with the crossings', async () => {
  const [url, folder] = [await testDatabase(), await temporaryFolder()];
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(1_000);
  const file = await backUpInto(url, folder);
  for (let round = 0; round < 3; round += 1) {
    await restoreFrom(url, file);
    const target = load.stored + 1_000;
    await expect.poll(() => load.stored).toBeGreaterThan(target);
  }
  await load.stop();
  expect(await expectDerived(url)).toBeGreaterThan(100);
});

test('a restore that is killed leaves the serving data, and the next one works', async () => {
  const [url, folder] = [await testDatabase(), await temporaryFolder()];
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(2_000);
  const file = await backUpInto(url, folder);

  for (const step of ['writing the rows', 'bringing the restored', 'deriving occupancy']) {
    const stored = load.stored;
    /* It cannot switch to the restored tables before it is killed. */
    const holder = await holdLock(url, 'lock table company in access share mode');
    const { code, out } = await operator(url, ['restore', file], step);
    await holder.release();
    expect({ step, code, out }).toEqual({ step, code: -1, out: expect.stringContaining(step) });
    await expect.poll(() => load.stored).toBeGreaterThan(stored);
    expect(await expectWholeJournals(url)).toBeGreaterThanOrEqual(stored);
  }

  await load.stop();
  const { tables } = await restoreFrom(url, file);
  expect(tables).toMatchObject({ crossing: await expectWholeJournals(url) });
  expect(await seed(url).query(`select from pg_namespace where nspname ~ '_restore$'`)).toEqual([]);
});

test('units send again what a restored backup lacks, while all programs run', async () => {
  const { url, rows, startAgent, startGateway, stored } = await unitAndGateway();
  const folder = await temporaryFolder();
  const file = await backUpInto(url, folder);
  const gateway = await startGateway();
  const agent = await startAgent();
  await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
  expect(await stored()).toBe(recorded);

  await restoreFrom(url, file);
  expect(await stored()).toBeLessThan(recorded);

  await expect.poll(stored).toBe(recorded);
  await expect.poll(() => rows.query('select from journal where missing_since is not null')).toHaveLength(0);
  expect(await rows.query('select from rejected_message')).toHaveLength(0);
  await expectDerived(url);
  const health = `http://127.0.0.1:${gateway.ready['metricsPort']}/ready`;
  await expect.poll(async () => (await fetch(health)).status).toBe(200);
});
