import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The commit of this checkout. */
export interface Commit {
  readonly id: string;
  /** As `commitTime`. */
  readonly time: number;
  /** Files that differ from the commit. */
  readonly changed: readonly string[];
}

export async function readCommit(): Promise<Commit> {
  const id = (await git('rev-parse', 'HEAD')).trim();
  const changed = (await git('status', '--porcelain')).split('\n').filter((line) => line !== '');
  return { id, time: await commitTime(), changed };
}

/** When the source was committed (epoch seconds): SOURCE_DATE_EPOCH if set, else from git. */
export async function commitTime(): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  return Number(given ?? (await git('log', '-1', '--format=%ct')));
}

/** Writes the files of the last commit to a file `.tar.gz`, in the folder `visitor-counter`. */
export async function writeSource(path: string): Promise<void> {
  await git('archive', '--prefix=visitor-counter/', `--output=${path}`, 'HEAD');
}

async function git(...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: root })).stdout;
}
