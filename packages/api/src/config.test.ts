import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readApiConfig } from './config.ts';

const DATABASE_URL = 'postgres://user:hidden@db/counter';

test('needs a database and has a default for everything else', async () => {
  expect(await readApiConfig({ DATABASE_URL })).toEqual({
    databaseUrl: DATABASE_URL,
    host: '127.0.0.1',
    port: 8080,
    pathId: 'public',
    metrics: { host: '127.0.0.1', port: 9466, setting: 'METRICS_PORT' },
    anyMetricsPort: true,
  });
  const nothingRuns = join(tmpdir(), 'no-such-data-folder');
  await expect(readApiConfig({ DATA_DIR: nothingRuns })).rejects.toThrow(/^DATABASE_URL is not set/);
});

test('refuses garbage by name', async () => {
  await expect(readApiConfig({ DATABASE_URL, HTTP_PORT: '80a0' })).rejects.toThrow(/^HTTP_PORT is "80a0"/);
  await expect(readApiConfig({ DATABASE_URL, HTTP_HOST: 'a b' })).rejects.toThrow(/^HTTP_HOST is "a b"/);
  for (const id of ['a/b', 'a b', '.', '..', 'ü', '%41', ':id', '*', 'health', 'ready', 'live']) {
    await expect(readApiConfig({ DATABASE_URL, API_PATH_ID: id })).rejects.toThrow(/^API_PATH_ID is /);
  }
});

test('keeps the password of a database URL to itself', async () => {
  await expect(readApiConfig({ DATABASE_URL: 'mysql://user:hidden@db/counter' })).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hidden') }),
  );
});
