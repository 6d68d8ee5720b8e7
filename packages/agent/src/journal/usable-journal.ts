import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/**
 * The error codes of a path that cannot contain a journal, now or at a later start. Errors of a disk that cannot be
 * written now are not listed, because a later start may succeed.
 */
const unusable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EEXIST', 'EACCES', 'EPERM']);

/** Runs `work` in the folder of a journal. Throws ConfigurationError if the path cannot contain a journal. */
export async function inUsableJournal<Result>(journal: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && unusable.has(String(error.code)))) throw error;
    const expected = `a folder that this user can make and write (${error.message})`;
    throw new ConfigurationError('journal', journal, expected);
  }
}
