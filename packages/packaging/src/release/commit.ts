import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The commit of this checkout. */
export interface Commit {
  readonly id: string;
  /** Epoch seconds: SOURCE_DATE_EPOCH if it is set, else the time of the commit. */
  readonly time: number;
  /** Files that differ from the commit. */
  readonly changed: readonly string[];
}

export async function readCommit(): Promise<Commit> {
  const [id = '', time = ''] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ');
  const changed = (await git('status', '--porcelain')).split('\n').filter((line) => line !== '');
  return { id, time: Number(process.env['SOURCE_DATE_EPOCH'] ?? time), changed };
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: import.meta.dirname })).stdout;
}
