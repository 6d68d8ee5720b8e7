import { pause } from '../async/pause.ts';
import type { FileSystem } from './file-system.ts';
import { isDiskError, JournalUnreadable } from './journal-errors.ts';

export interface RetrySettings {
  /** For how long a read is retried while the disk reports errors (ms); they often pass. */
  readonly rereadFor: number;
  /** For how long wrong content is read again while the journal is opened, if the disk reports no error (ms). */
  readonly recheckFor: number;
}

export const defaultRetries: RetrySettings = { rereadFor: 20_000, recheckFor: 300 };

/** The pause before the first retry, which doubles up to the longest (ms). */
const firstPause = 50;
const longestPause = 1_000;

/**
 * Retries reads. All reads through one instance share one deadline, which begins with the first failure: many damaged
 * places delay a start no longer than one.
 */
export class Retries {
  readonly #settings: RetrySettings;
  readonly #signal: AbortSignal;
  #failingUntil: number | undefined;
  #wrongUntil: number | undefined;

  constructor(settings: RetrySettings, signal: AbortSignal = new AbortController().signal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Resolves as `read` does, which is called again while it rejects with an error of the disk. */
  async whileFailing<Result>(read: () => Promise<Result>): Promise<Result> {
    for (let wait = firstPause; ; wait = next(wait)) {
      try {
        return await read();
      } catch (error) {
        const left = isDiskError(error) ? this.#timeLeft(true) : 0;
        if (left <= 0) throw error;
        await this.#pause(Math.min(wait, left), error);
      }
    }
  }

  /** The last result of `read`, which is called again while `problemOf` finds that the disk failed, or the content wrong. */
  async until<Result>(
    read: () => Promise<Result>,
    problemOf: (result: Result) => 'failing' | 'wrong' | undefined,
  ): Promise<Result> {
    for (let wait = firstPause; ; wait = next(wait)) {
      const result = await read();
      const problem = problemOf(result);
      const left = problem === undefined ? 0 : this.#timeLeft(problem === 'failing');
      if (left <= 0) return result;
      await this.#pause(Math.min(wait, left));
    }
  }

  /** For how long retries go on (ms). */
  #timeLeft(isFailing: boolean): number {
    const now = performance.now();
    if (!isFailing) {
      this.#wrongUntil ??= now + this.#settings.recheckFor;
      return this.#wrongUntil - now;
    }
    this.#failingUntil ??= now + this.#settings.rereadFor;
    return this.#failingUntil - now;
  }

  async #pause(wait: number, cause?: unknown): Promise<void> {
    await pause(wait, this.#signal);
    if (this.#signal.aborted) throw new Error('the journal was closed while it was read', { cause });
  }
}

function next(wait: number): number {
  return Math.min(2 * wait, longestPause);
}

/**
 * A folder's file operations, of which reading a small file is retried while the disk reports errors; then it rejects
 * with JournalUnreadable.
 */
export function retryingFiles(
  files: FileSystem,
  folder: string,
  settings: Partial<RetrySettings>,
): FileSystem {
  return {
    ...files,
    read: (path) =>
      new Retries({ ...defaultRetries, ...settings })
        .whileFailing(() => files.read(path))
        .catch((error: unknown) => {
          throw isDiskError(error) ? new JournalUnreadable(folder, path, error) : error;
        }),
  };
}
