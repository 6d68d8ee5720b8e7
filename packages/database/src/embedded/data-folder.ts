import { type FileHandle, open } from 'node:fs/promises';
import type { SystemUser } from './system-user.ts';

/** A data folder as PostgreSQL's programs are told of it. */
export interface DataFolder {
  /** The path to give them. */
  readonly path: string;
  /** Their standard streams, with the folder itself as descriptor 3 where the path needs it. */
  stdio(output: number | 'ignore' | 'pipe'): (number | 'ignore' | 'pipe')[];
  close(): Promise<void>;
}

/**
 * Opens a data folder for programs that run as `user`. That user may not be able to walk the path to it;
 * an open descriptor of the folder, inherited, takes the place of the path.
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
