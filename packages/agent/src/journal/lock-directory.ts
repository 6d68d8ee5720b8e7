import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalInUse } from './journal-errors.ts';

/**
 * Locks a directory for this process; resolves to the function that unlocks it. Throws JournalInUse.
 *
 * A lock file would outlive a killed process. An abstract socket (Linux) is freed by the kernel with the
 * process. Its name contains the directory's device and inode, so that another spelling of the path or a symbolic link
 * leads to the same lock. Other systems use a socket file in the temporary directory.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = await socketOf(directory);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new JournalInUse(directory) : error),
    );
    server.listen(path, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Whether a process has this directory locked. A directory that is missing or unreadable is not locked. */
export async function isLocked(directory: string): Promise<boolean> {
  const path = await socketOf(directory).catch(() => undefined);
  if (path === undefined) return false;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

async function socketOf(directory: string): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `visitor-counter-journal-${dev}-${ino}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.socket`);
}
