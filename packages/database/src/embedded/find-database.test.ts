import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { dataFolder, findDatabase, publishAddress, withdrawAddress } from './find-database.ts';

async function dataDir(): Promise<{ env: { DATA_DIR: string }; folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'visitor-counter-find-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'postgres');
  await mkdir(folder);
  return { env: { DATA_DIR: root }, folder };
}

test('keeps the embedded database in .data of the checkout, unless DATA_DIR names a folder', () => {
  expect(dataFolder({})).toBe(resolve('.data'));
  expect(dataFolder({ DATA_DIR: 'other' })).toBe(resolve('other'));
});

test('prefers DATABASE_URL, unchanged', async () => {
  const { env, folder } = await dataDir();
  await publishAddress(folder, inject('databaseServer'));
  const given = 'postgres://user@db.example/counter';
  expect(await findDatabase({ ...env, DATABASE_URL: given })).toBe(given);
});

test('finds the embedded database while it runs, at its latest address', async () => {
  const { env, folder } = await dataDir();
  await publishAddress(folder, 'postgres://127.0.0.1:1/before');
  await publishAddress(folder, inject('databaseServer'));
  expect(await findDatabase(env)).toBe(inject('databaseServer'));

  await withdrawAddress(folder);
  await expect(findDatabase(env)).rejects.toThrow(`none runs on ${folder}`);
});

test('reports why the embedded database at a stale address does not answer', async () => {
  const { env, folder } = await dataDir();
  await publishAddress(folder, 'postgres://127.0.0.1:1/gone');
  await expect(findDatabase(env)).rejects.toThrow(/DATABASE_URL is not set.*does not answer: .*ECONNREFUSED/);
});

test.each([
  'mysql://root:hunter2@db',
  'postgres://root:hunter2%zz@db/counter',
  'postgres://root:hunter2@127.0.0.1/%zz',
])('names an invalid DATABASE_URL without its value: %s', async (url) => {
  const failure = findDatabase({ DATABASE_URL: url });
  await expect(failure).rejects.toThrow(/^DATABASE_URL .* expected a URL such as postgres:/);
  await expect(failure).rejects.not.toThrow('hunter2');
});
