/** How a process of the product ended. */
export interface ServiceEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the test ended it. */
  readonly isExpected: boolean;
}

/** A log line of pino's level `fatal`. */
const fatal = /"level":60\b/;

/** Node prints its version below an exception that nothing caught. */
const uncaught = /^Node\.js v\d+/m;

/** A log line that carries an error which only a mistake in the code raises; a failed `fetch` is a TypeError, too. */
const programmingError =
  /"(type|error)":"(RangeError|ReferenceError|AssertionError)"|"type":"TypeError"(?!,"message":"fetch failed)/;

/**
 * What a process of the product did that it never may: it ended although nothing had asked it to, an exception
 * was not caught, or a mistake in the code was logged. undefined when it did nothing of this.
 */
export function serviceFailure(output: string, end: ServiceEnd): string | undefined {
  if (uncaught.test(output)) return 'did not catch an exception';
  if (!end.isExpected) return `ended unexpectedly (${end.code ?? end.signal})`;
  if (fatal.test(output)) return 'logged a fatal error';
  if (programmingError.test(output)) return 'logged a mistake in its code';
  return undefined;
}
