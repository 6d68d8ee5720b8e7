/** How a process of the product ended. */
export interface ServiceEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the test has ended it. */
  readonly isExpected: boolean;
}

/** A log line of pino's level `fatal`. */
const fatal = /"level":60\b/;

/** Node prints its version below an exception that nothing caught. */
const uncaught = /^Node\.js v\d+/m;

/** A log line with an error that only a programming error raises; a failed `fetch` is a TypeError, too. */
const programmingError =
  /"(type|error)":"(RangeError|ReferenceError|AssertionError)"|"type":"TypeError"(?!,"message":"fetch failed)/;

/**
 * Why a process of the product has failed: it ended without being stopped, did not catch an exception, or
 * logged a programming error. Undefined if it did none of these.
 */
export function serviceFailure(output: string, end: ServiceEnd): string | undefined {
  if (uncaught.test(output)) return 'did not catch an exception';
  if (!end.isExpected) return `ended unexpectedly (${end.code ?? end.signal})`;
  if (fatal.test(output)) return 'logged a fatal error';
  if (programmingError.test(output)) return 'logged a mistake in its code';
  return undefined;
}
