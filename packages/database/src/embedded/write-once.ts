import { randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';

/**
 * Creates a file that only its owner can read, with its content, durably and in one step: nobody sees it
 * half written, and of several who try at once exactly one succeeds. Returns false where it exists already.
 */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  const unfinished = `${file}.${randomUUID()}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await link(unfinished, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await handle.close();
    await rm(unfinished, { force: true });
  }
}
