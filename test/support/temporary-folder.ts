import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './started-once.ts';

/** A new folder, which is removed with all that is in it at the end, by default that of the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
