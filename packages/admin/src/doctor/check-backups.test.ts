import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { checkBackups } from './check-backups.ts';
import { installationOf } from './installation.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const hour = 3_600_000;

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    await utimes(join(folder, name), now / 1_000, now / 1_000);
  }
  return folder;
}

const check = (folder: string | undefined, recordedAt?: number, at = now) =>
  checkBackups({ folder, recordedAt }, at, installationOf({}));

test.each([
  [30 * hour - 1, 'ok'],
  [30 * hour, 'warning'],
  [7 * 24 * hour - 1, 'warning'],
  [7 * 24 * hour, 'problem'],
])('judges a latest backup that is %i ms old as %s', async (age, status) => {
  const folder = await folderWith({ 'counter.dump': 'x' });
  expect(await check(folder, undefined, now + age)).toMatchObject({ status });
  expect(await check(undefined, now - age)).toMatchObject({ status });
});

test('does not count files that are not complete', async () => {
  const folder = await folderWith({
    '.a.dump': 'x',
    'a.dump.unfinished': 'x',
    'a.dump.sha256': 'x',
    'a.dump': '',
  });
  expect(await check(folder)).toMatchObject({ status: 'warning', finding: `there is none in ${folder}` });
});

test('warns if it is unknown where backups are, or if their folder cannot be read', async () => {
  expect(await check(undefined)).toMatchObject({
    status: 'warning',
    finding: 'it is unknown where they are',
  });
  expect(await check('/nonexistent')).toMatchObject({
    status: 'warning',
    finding: expect.stringContaining('/nonexistent cannot be read: ENOENT'),
  });
});
