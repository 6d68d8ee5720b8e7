import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where the agent that has a journal open can be asked. An abstract socket (Linux) is gone with its process;
 * elsewhere a socket file stands in. Rejects when there is no such folder.
 */
export async function socketOf(journal: string): Promise<string> {
  const { dev, ino } = await stat(journal, { bigint: true });
  const name = `visitor-counter-agent-${dev}-${ino}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.socket`);
}
