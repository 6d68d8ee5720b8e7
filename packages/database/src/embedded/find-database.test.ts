import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { findDatabase, publishAddress, withdrawAddress } from './find-database.ts';

async function dataDir(): Promise<{ env: { DATA_DIR: string }; folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'visitor-counter-find-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'postgres');
  await mkdir(folder);
  return { env: { DATA_DIR: root }, folder };
}

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
