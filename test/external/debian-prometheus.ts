import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { monitoringFolder } from '@visitor-counter/test/monitoring-files';

const run = promisify(execFile);

/** Where Debian's package is unpacked, and not installed; a later run finds it there. */
const folder = join(import.meta.dirname, '../../node_modules/.cache/debian-prometheus');

/** Runs Debian's promtool in the folder of the rules; rejects with what it prints if it finds a mistake. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const program = join(folder, 'usr/bin/promtool');
  if (!existsSync(program)) await unpackPackage();
  const { stdout } = await run(program, args, { cwd: monitoringFolder });
  return stdout;
}

async function unpackPackage(): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const download = await mkdtemp(join(dirname(folder), 'download-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: download, timeout: 120_000 });
    const [file = ''] = await readdir(download);
    await run('dpkg-deb', ['--extract', join(download, file), join(download, 'unpacked')]);
    await rename(join(download, 'unpacked'), folder);
  } finally {
    await rm(download, { recursive: true });
  }
}
