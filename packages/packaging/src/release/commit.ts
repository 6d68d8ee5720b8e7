import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commitTime } from '../program/write-package.ts';

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
  const id = (await git('rev-parse', 'HEAD')).trim();
  const changed = (await git('status', '--porcelain')).split('\n').filter((line) => line !== '');
  return { id, time: await commitTime(), changed };
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: import.meta.dirname })).stdout;
}
