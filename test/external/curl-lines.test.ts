import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Demonstration, startDemonstration } from '@visitor-counter/test/demonstration';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Runs the lines that the start prints in a shell, as a user would paste them. */
let dataFolder: string;
let demonstration: Demonstration;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'visitor-counter-curl-'));
  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/the past has been delivered/);
});

afterAll(async () => {
  await demonstration?.interrupt();
  await rm(dataFolder, { recursive: true, force: true });
});

test.each([
  ['GetLifeSignalInactive', 0],
  ['GetAllCountsByCompanyForTodayPublic', 5],
  ['GetCountsByShopGroupAndDatePublic', 19 + 22],
  ['GetCountsBySerialNumberAndDatePublic', 19 + 22],
  ['GetCountsByCompanyAndDatePublic', 19],
])('the printed line for %s returns the records', async (operation, atLeast) => {
  const line = demonstration
    .output()
    .split('\n')
    .find((text) => text.startsWith('curl ') && text.endsWith(`/${operation}`));

  const { stdout } = await promisify(execFile)('sh', ['-c', `${line}`]);

  const records: unknown = JSON.parse(stdout);
  expect(Array.isArray(records) && records.length).toBeGreaterThanOrEqual(atLeast);
});
