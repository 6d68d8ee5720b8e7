import { once } from 'node:events';
import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@visitor-counter/service/errors';
import { JournalInUse } from './journal-errors.ts';

/**
 * Locks a directory for this process; resolves to the function that unlocks it. Throws JournalInUse.
 *
 * A lock file would outlive a killed process. An abstract socket (Linux) is freed by the kernel with the
 * process. Its name contains the directory's device and inode, so that another spelling of the path or a symbolic link
 * leads to the same lock. The directory stays open while it is locked: otherwise, if it is removed, another one could get its
 * inode and seem to be locked. Other systems use a socket file in the temporary directory.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const opened = await open(directory, 'r');
  const server = createServer((socket) => socket.destroy());
  const closed = new Promise((resolve) => server.once('close', () => resolve(opened.close())));
  try {
    server.listen(socketOf(await opened.stat({ bigint: true })));
    await once(server, 'listening');
  } catch (error) {
    await opened.close();
    throw codeOf(error) === 'EADDRINUSE' ? new JournalInUse(directory) : error;
  }
  server.unref();
  return async () => {
    server.close();
    await closed;
  };
}

/** Whether a process has this directory locked. A directory that is missing or unreadable is not locked. */
export async function isLocked(directory: string): Promise<boolean> {
  const stats = await stat(directory, { bigint: true }).catch(() => undefined);
  if (stats === undefined) return false;
  const socket = connect(socketOf(stats));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

function socketOf({ dev, ino }: BigIntStats): string {
  const name = `visitor-counter-journal-${dev}-${ino}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.socket`);
}
