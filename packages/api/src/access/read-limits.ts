import { type Environment, wholeNumber } from '@visitor-counter/service/environment';
import type { StreamLimit } from './stream-limits.ts';

/** What the api does at most for those who call it. */
export interface ApiLimits {
  /** Wrong credentials of one address in a minute. */
  readonly failuresPerMinute: number;
  /** Requests of one credential in a minute. */
  readonly requestsPerMinute: number;
  /** Date ranges read at a time: of all callers, and of one credential. */
  readonly exports: number;
  readonly exportsPerCredential: number;
  /** Live streams open at a time: of all callers, of one company, and of one credential. */
  readonly streams: StreamLimit;
  /** How long a statement of the database may take (ms). A range is read by many short ones. */
  readonly statement: number;
}

const most = 1_000_000_000;

/** Reads the limits; throws a ConfigurationError on garbage. */
export function readLimits(env: Environment): ApiLimits {
  const number = (name: string, fallback: number, max = most) =>
    wholeNumber(env, name, { min: 1, max }) ?? fallback;
  const exports = number('API_EXPORTS', 8, 100);
  return {
    failuresPerMinute: number('API_FAILURES_PER_MINUTE', 100),
    requestsPerMinute: number('API_REQUESTS_PER_MINUTE', 6_000),
    exports,
    exportsPerCredential: number('API_EXPORTS_PER_CREDENTIAL', Math.ceil(exports / 2), 100),
    streams: {
      all: number('API_STREAMS', 5_000),
      perCompany: number('API_STREAMS_PER_COMPANY', 1_000),
      perCredential: number('API_STREAMS_PER_CREDENTIAL', 500),
    },
    statement: 1_000 * number('API_STATEMENT_SECONDS', 30, 3_600),
  };
}
