import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalInUse } from './journal-errors.ts';

/**
 * Keeps a directory for this process; resolves to what lets go of it again. Throws JournalInUse.
 *
 * A lock file would outlive a killed process. An abstract socket (Linux) is freed by the kernel with the
 * process, and is named by the directory's device and inode, so that another spelling of its path or a
 * symbolic link is no way around. Elsewhere a socket file in the temporary directory stands in.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `visitor-counter-journal-${dev}-${ino}`;
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new JournalInUse(directory) : error),
    );
    server.listen(process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.socket`), resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
