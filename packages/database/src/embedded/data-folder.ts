import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chown,
  type FileHandle,
  mkdir,
  mkdtempDisposable,
  open,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A data folder as PostgreSQL's programs open it. */
interface DataFolder extends AsyncDisposable {
  /** The path to pass to them. */
  readonly path: string;
  /** Their standard streams, with the folder itself as descriptor 3 where the path needs it. */
  stdio(output: number | 'ignore' | 'pipe'): (number | 'ignore' | 'pipe')[];
}

/**
 * Opens a data folder for programs that run as `user`. That user may not be able to enter the folders above it, so
 * the programs inherit an open descriptor of the folder.
 */
export async function openDataFolder(path: string, user: SystemUser | undefined): Promise<DataFolder> {
  if (user === undefined) {
    const stdio = (output: number | 'ignore' | 'pipe') => ['ignore' as const, output, output];
    return { path, stdio, [Symbol.asyncDispose]: async () => {} };
  }
  const handle: FileHandle = await open(path);
  await handle.chown(user.uid, user.gid);
  return {
    path: '/proc/self/fd/3',
    stdio: (output) => ['ignore', output, output, handle.fd],
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** The identity that a child process runs under. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The unprivileged user that PostgreSQL runs as when this process is root, which PostgreSQL refuses to be: the owner
 * of the data folder, else `postgres` if the machine has it, else `nobody`. Undefined when this process is not root.
 */
export async function serverUser(dataFolder: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('running as root, and there is neither a user postgres nor nobody to run PostgreSQL as');
}

interface InitialiseOptions {
  readonly bin: string;
  readonly dataFolder: string;
  readonly user: SystemUser | undefined;
  readonly password: string;
}

/**
 * Creates a cluster in `dataFolder` unless there is one. It is renamed into place when it is complete, so that an interrupted
 * start leaves no incomplete cluster.
 */
export async function initialiseCluster(options: InitialiseOptions): Promise<void> {
  if (existsSync(options.dataFolder)) return;
  const unfinished = `${options.dataFolder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await initdb(options, unfinished);
  await rename(unfinished, options.dataFolder);
}

async function initdb({ bin, user, password }: InitialiseOptions, folder: string): Promise<void> {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'visitor-counter-'));
  const passwordFile = join(temporary.path, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) await Promise.all([temporary.path, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  await using data = await openDataFolder(folder, user);
  const child = spawn(join(bin, 'initdb'), [`--pgdata=${data.path}`, ...settings(passwordFile)], {
    ...user,
    cwd: '/',
    stdio: data.stdio('pipe'),
  });
  const [output, errors, [status]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ]);
  if (status !== 0) throw new Error(`initdb failed (${status}): ${errors}${output}`);
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
