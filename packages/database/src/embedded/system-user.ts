import { readFile, stat } from 'node:fs/promises';

/** The identity that a child process runs under. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The unprivileged user that PostgreSQL runs as when this process is root, which PostgreSQL refuses to be:
 * whom the data folder belongs to already, else `postgres` where the machine has it, else `nobody`.
 * Undefined when this process is not root.
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
