import { type FileHandle, open, readFile, stat } from 'node:fs/promises';

/** A data folder as PostgreSQL's programs open it. */
export interface DataFolder {
  /** The path to pass to them. */
  readonly path: string;
  /** Their standard streams, with the folder itself as descriptor 3 where the path needs it. */
  stdio(output: number | 'ignore' | 'pipe'): (number | 'ignore' | 'pipe')[];
  close(): Promise<void>;
}

/**
 * Opens a data folder for programs that run as `user`. That user may not be able to enter the folders above it, so
 * the programs inherit an open descriptor of the folder.
 */
export async function openDataFolder(path: string, user: SystemUser | undefined): Promise<DataFolder> {
  if (user === undefined) {
    return { path, stdio: (output) => ['ignore', output, output], close: async () => {} };
  }
  const handle: FileHandle = await open(path);
  await handle.chown(user.uid, user.gid);
  return {
    path: '/proc/self/fd/3',
    stdio: (output) => ['ignore', output, output, handle.fd],
    close: () => handle.close(),
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
