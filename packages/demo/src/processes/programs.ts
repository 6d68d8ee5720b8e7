import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The recording as a profile for simulated beams. */
export const recordingFile = fileURLToPath(new URL('../../recording/calit2.csv', import.meta.url));

/** The programs that the demonstration runs as processes. */
export const programs = {
  admin: program('admin'),
  agent: program('agent'),
  server: program('server'),
} as const;

/** Builds the page if a source is newer than the last build. */
const pageBuilder = fileURLToPath(new URL('../../../dashboard/build.ts', import.meta.url));

function program(name: string): string {
  return fileURLToPath(new URL(`../../../${name}/src/main.ts`, import.meta.url));
}

/** Rebuilds the page that the api serves at `/`, if it is outdated. Rejects with the output of the build. */
export async function buildPage(): Promise<void> {
  await promisify(execFile)(process.execPath, [pageBuilder, '--if-older']);
}
