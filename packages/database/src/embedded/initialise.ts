import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SystemUser } from './data-folder.ts';
import { openDataFolder } from './data-folder.ts';

export interface InitialiseOptions {
  readonly bin: string;
  readonly dataFolder: string;
  readonly user: SystemUser | undefined;
  readonly password: string;
}

/**
 * Creates a cluster in `dataFolder` unless there is one. It is renamed into place when it is complete, so that an
 * interrupted start leaves no incomplete cluster.
 */
export async function initialiseCluster(options: InitialiseOptions): Promise<void> {
  if (existsSync(options.dataFolder)) return;
  const unfinished = `${options.dataFolder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await withPasswordFile(options, (passwordFile) => initdb(options, unfinished, passwordFile));
  await rename(unfinished, options.dataFolder);
}

async function initdb(options: InitialiseOptions, folder: string, passwordFile: string): Promise<void> {
  const data = await openDataFolder(folder, options.user);
  try {
    const child = spawn(join(options.bin, 'initdb'), [`--pgdata=${data.path}`, ...settings(passwordFile)], {
      ...options.user,
      cwd: '/',
      stdio: data.stdio('pipe'),
    });
    const [output, errors, [status]] = await Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      once(child, 'close'),
    ]);
    if (status !== 0) throw new Error(`initdb failed (${status}): ${errors}${output}`);
  } finally {
    await data.close();
  }
}

function settings(passwordFile: string): string[] {
  return [
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
  ];
}

async function withPasswordFile(
  { user, password }: InitialiseOptions,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-'));
  try {
    const path = join(folder, 'password');
    await writeFile(path, password, { mode: 0o600 });
    if (user) await Promise.all([chown(folder, user.uid, user.gid), chown(path, user.uid, user.gid)]);
    await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
