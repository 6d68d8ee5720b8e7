import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const dashboard = join(import.meta.dirname, '../../packages/dashboard');

/** Builds the page if a source is newer than it, for programs that run from bundles. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(dashboard, 'build.ts'), '--if-older']);
  process.env['PAGE_DIR'] = join(dashboard, 'dist');
}
