import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBinaries } from './binaries.ts';
import { serverUser } from './data-folder.ts';

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)('copies the programs out of a folder that only root may enter, once', async () => {
  const root = await mkdtemp(join(tmpdir(), 'visitor-counter-binaries-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await chmod(root, 0o755);
  const installed = dirname(await findBinaries(undefined));
  const closed = join(root, 'home', 'package');
  await mkdir(join(root, 'home'), { mode: 0o700 });
  await cp(dirname(await realpath(installed)), closed, { recursive: true, verbatimSymlinks: true });
  const user = await serverUser(join(root, 'no data folder yet'));
  const folders = { native: join(closed, 'native'), shared: join(root, 'shared') };

  const [bin, again] = await Promise.all([findBinaries(user, folders), findBinaries(user, folders)]);

  expect(again).toBe(bin);
  expect(bin.startsWith(folders.shared)).toBe(true);
  const version = spawnSync(join(bin, 'postgres'), ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  expect(version.stdout).toContain('PostgreSQL');
});

test('runs the programs where they are installed when that is possible', async () => {
  expect(await findBinaries(undefined)).toContain('node_modules');
});
