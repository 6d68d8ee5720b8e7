import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/**
 * What the file system says of a path that is no place for a journal, now or at another start. A disk that cannot be
 * written may be mended by then: such an error is not among them.
 */
const unusable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EEXIST', 'EACCES', 'EPERM']);

/** Passes on what `work` does in the folder of a journal. Throws ConfigurationError where that is no place for one. */
export async function inUsableJournal<Result>(journal: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && unusable.has(String(error.code)))) throw error;
    const expected = `a folder that this user can make and write (${error.message})`;
    throw new ConfigurationError('journal', journal, expected);
  }
}
