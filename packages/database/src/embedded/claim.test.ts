import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimFolder } from './claim.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-claim-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A process that has claimed `folder` and runs until it is killed. */
async function claimant(folder: string) {
  const script = `
    const { claimFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'claim.ts'))});
    await claimFolder(${JSON.stringify(folder)});
    console.log('claimed');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
  await once(child.stdout, 'data');
  return child;
}

test('refuses a folder to other processes while its owner runs, and allows it after the owner was killed', async () => {
  const folder = await emptyFolder();
  const owner = await claimant(folder);
  await expect(claimFolder(folder)).rejects.toThrow(`process ${owner.pid} is using it`);

  owner.kill('SIGKILL');
  await once(owner, 'close');

  const release = await claimFolder(folder);
  await release();
  expect(await readdir(folder)).toEqual([]);
});
