import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pageBuilder } from './programs.ts';

/** Makes what the api serves at `/` up to date. Rejects with what the builder said. */
export async function buildPage(): Promise<void> {
  await promisify(execFile)(process.execPath, [pageBuilder, '--if-older']);
}
