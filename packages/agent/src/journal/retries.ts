import { BackOff } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import type { FileSystem } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';

export interface RetrySettings {
  /** For how long a read is retried while the disk reports errors (ms), which are often transient. */
  readonly rereadFor: number;
  /** For how long wrong content is read again while the journal is opened, if the disk reports no error (ms). */
  readonly recheckFor: number;
  /** A clock that only moves forward (ms). */
  readonly monotonic: () => number;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetries: RetrySettings = {
  rereadFor: 20_000,
  recheckFor: 300,
  monotonic: () => performance.now(),
  pause,
};

/** Pauses between attempts (ms). */
const pauses = { first: 50, longest: 1_000 };

/** Why a read is retried: the disk reports an error, or the content is wrong. */
type ReadProblem = 'failing' | 'wrong';

/** The result of a read, and why it should be retried. */
export interface Attempt {
  readonly problem: ReadProblem | undefined;
}

/**
 * Retries reads. All reads through one instance share one deadline for each kind of problem, which begins with the first
 * one: many damaged places delay a start no longer than one.
 */
export class Retries {
  readonly #settings: RetrySettings;
  readonly #signal: AbortSignal;
  readonly #deadlines: { [Problem in ReadProblem]?: number } = {};

  constructor(settings: Partial<RetrySettings> = {}, signal = new AbortController().signal) {
    this.#settings = { ...defaultRetries, ...settings };
    this.#signal = signal;
  }

  /** Resolves like `read`, which is called again while it rejects with an error of the disk. */
  async whileFailing<Result>(read: () => Promise<Result>): Promise<Result> {
    const attempt = () =>
      read().then(
        (value) => ({ value, problem: undefined }),
        (error: unknown) => {
          if (!isDiskError(error)) throw error;
          return { error, problem: 'failing' as const };
        },
      );
    const result = await this.until(attempt);
    if (result.problem) throw result.error;
    return result.value;
  }

  /** The last result of `read`, which is called again while it finds a problem and the time is not up. */
  async until<Result extends Attempt>(read: () => Promise<Result>): Promise<Result> {
    const backOff = new BackOff(pauses);
    for (;;) {
      const result = await read();
      const left = result.problem === undefined ? 0 : this.#timeLeft(result.problem);
      if (left <= 0) return result;
      await this.#settings.pause(Math.min(backOff.next(), left), this.#signal);
      if (this.#signal.aborted) throw new Error('the journal was closed while it was read');
    }
  }

  /** For how long this problem is retried (ms). */
  #timeLeft(problem: ReadProblem): number {
    const { monotonic, rereadFor, recheckFor } = this.#settings;
    const now = monotonic();
    this.#deadlines[problem] ??= now + (problem === 'failing' ? rereadFor : recheckFor);
    return this.#deadlines[problem] - now;
  }
}

/** The value of a small file, or why there is none, with the error if the disk cannot read it; nothing if it is missing. */
export interface SmallFile<Value> extends Attempt {
  readonly value?: Value;
  readonly unreadable?: unknown;
}

/** Reads a small JSON file, with retries. Rejects with errors other than disk errors. */
export async function readJson<Value>(
  files: FileSystem,
  path: string,
  check: (value: unknown) => value is Value,
  retries: Retries,
): Promise<SmallFile<Value>> {
  return retries.until(async (): Promise<Attempt & SmallFile<Value>> => {
    try {
      const content = await files.read(path);
      if (content === undefined) return { problem: undefined };
      const value = parsedJson(content.toString());
      return check(value) ? { value, problem: undefined } : { problem: 'wrong' };
    } catch (unreadable) {
      if (!isDiskError(unreadable)) throw unreadable;
      return { unreadable, problem: 'failing' };
    }
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
