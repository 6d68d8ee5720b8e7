import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../../../../', import.meta.url);

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

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: import.meta.dirname })).stdout;
}

/** The files of the last commit as an archive of tar, in the folder `visitor-counter`. */
export async function sourceArchive(): Promise<Buffer> {
  const args = ['archive', '--format=tar', '--prefix=visitor-counter/', 'HEAD'];
  const options = { cwd: root, encoding: 'buffer', maxBuffer: 2 ** 30 } as const;
  return (await run('git', args, options)).stdout;
}
