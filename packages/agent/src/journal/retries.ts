import { parsedJson } from '@visitor-counter/domain/parsed-json';
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

/** A read that may need to be repeated. */
export interface Attempt {
  /** Its result is complete and right. */
  readonly isGood: boolean;
  /** Why the disk could not read all of it; undefined if only the content is wrong. */
  readonly failure?: Error | undefined;
}

/** The value of a read, or the error of the disk. Rejects with all other errors. */
export async function diskResult<Value>(read: Promise<Value>): Promise<Attempt & { readonly value?: Value }> {
  try {
    return { value: await read, isGood: true };
  } catch (failure) {
    if (!isDiskError(failure)) throw failure;
    return { isGood: false, failure };
  }
}

/**
 * Retries reads. All reads through one instance share one deadline for each kind of problem, which begins with the first
 * one: many damaged places delay a start no longer than one.
 */
export class Retries {
  readonly #settings: RetrySettings;
  readonly #signal: AbortSignal;
  readonly #deadlines: { rereadFor?: number; recheckFor?: number } = {};

  constructor(settings: Partial<RetrySettings> = {}, signal = new AbortController().signal) {
    this.#settings = { ...defaultRetries, ...settings };
    this.#signal = signal;
  }

  /** The last result of `read`, which is called again while it is not good and the time is not up. */
  async until<Result extends Attempt>(read: () => Promise<Result>): Promise<Result> {
    const backOff = new BackOff(pauses);
    for (;;) {
      const result = await read();
      const left = result.isGood ? 0 : this.#timeLeft(result.failure ? 'rereadFor' : 'recheckFor');
      if (left <= 0) return result;
      await this.#settings.pause(Math.min(backOff.next(), left), this.#signal);
      if (this.#signal.aborted) throw new Error('the journal was closed while it was read');
    }
  }

  /** For how long a read is still retried (ms). */
  #timeLeft(limit: 'rereadFor' | 'recheckFor'): number {
    const now = this.#settings.monotonic();
    this.#deadlines[limit] ??= now + this.#settings[limit];
    return this.#deadlines[limit] - now;
  }
}

/** The value of a small file; undefined if it is missing, or not good. */
export interface SmallFile<Value> extends Attempt {
  readonly value?: Value;
}

/** Reads a small JSON file, with retries. Rejects with errors other than disk errors. */
export async function readJson<Value>(
  files: FileSystem,
  path: string,
  check: (value: unknown) => value is Value,
  retries: Retries,
): Promise<SmallFile<Value>> {
  return retries.until(async (): Promise<SmallFile<Value>> => {
    const { value: content, ...read } = await diskResult(files.read(path));
    if (content === undefined) return read;
    const value = parsedJson(content.toString());
    return check(value) ? { value, isGood: true } : { isGood: false };
  });
}
