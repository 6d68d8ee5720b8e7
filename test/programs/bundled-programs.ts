import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Bundles the programs that tests start (`programArgs`): a bundle starts in a third of the time of its sources. They are
 * deleted at the end of the run, with what Node has compiled of them.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  /* Another project of the run has done it. */
  if (process.env['BUNDLED_PROGRAMS'] !== undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-programs-'));
  await run(process.execPath, [join(import.meta.dirname, 'bundle.ts'), folder]);
  process.env['BUNDLED_PROGRAMS'] = folder;
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  /* The last processes may still write what they have compiled. */
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
