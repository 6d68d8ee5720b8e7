import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import type { StreamLimit } from './stream-limits.ts';

/** The limits of callers. */
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
  /** Time limit of a database statement (ms). A range is read by many short ones. */
  readonly statement: number;
}

const count = wholeNumber(1, 1_000_000_000);

export const limitSettings = {
  API_EXPORTS: {
    kind: wholeNumber(1, 100),
    default: '8',
    does: 'Date ranges read at the same time. Each uses a connection to the database, and the api has four more. A company gets at most half of the free slots, and fewer the more others use, so that one is free for the next company.',
  },
  API_EXPORTS_PER_CREDENTIAL: {
    kind: wholeNumber(1, 100),
    otherwise: 'half of `API_EXPORTS`',
    does: 'Date ranges read at the same time with one credential.',
  },
  API_STREAMS: {
    kind: count,
    default: '5000',
    does: 'Live streams open at the same time in one process; every open page is one.',
  },
  API_STREAMS_PER_COMPANY: { kind: count, default: '1000', does: 'Live streams of one company.' },
  API_STREAMS_PER_CREDENTIAL: { kind: count, default: '500', does: 'Live streams with one credential.' },
  API_REQUESTS_PER_MINUTE: { kind: count, default: '6000', does: 'Requests with one credential.' },
  API_FAILURES_PER_MINUTE: {
    kind: count,
    default: '100',
    does: 'Wrong credentials from one address that are checked immediately. Further ones are checked in batches, so that a right one is always served and guessing costs the database little. Behind a proxy set `TRUSTED_PROXIES`, otherwise all callers are one address.',
  },
  API_STATEMENT_SECONDS: {
    kind: wholeNumber(1, 3_600),
    default: '30',
    does: 'Longest time of one statement of the database, in seconds. A range is read by many short ones. If the database has not answered a second later, the api ends the connection and answers 503.',
  },
} satisfies Settings;

/** Reads the limits; throws a ConfigurationError for a value that cannot be used. */
export function readLimits(env: Environment): ApiLimits {
  const settings = readSettings(limitSettings, env);
  return {
    failuresPerMinute: settings.API_FAILURES_PER_MINUTE,
    requestsPerMinute: settings.API_REQUESTS_PER_MINUTE,
    exports: settings.API_EXPORTS,
    exportsPerCredential: settings.API_EXPORTS_PER_CREDENTIAL ?? Math.ceil(settings.API_EXPORTS / 2),
    streams: {
      all: settings.API_STREAMS,
      perCompany: settings.API_STREAMS_PER_COMPANY,
      perCredential: settings.API_STREAMS_PER_CREDENTIAL,
    },
    statement: 1_000 * settings.API_STATEMENT_SECONDS,
  };
}
