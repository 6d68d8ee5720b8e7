import { recordCredentialUse } from '@visitor-counter/database/credentials/callers';
import type { Database } from '@visitor-counter/database/sql/connect';
import { addressKey } from '@visitor-counter/service/address-key';
import { LoginFailures } from '@visitor-counter/service/login-failures';
import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import { type Problem, tooManyFailures, tooManyRequests } from '../problems/problems.ts';
import type { ApiLimits } from './read-limits.ts';

/** For how many credentials the pace is stored; the least recent are evicted. */
const remembered = 20_000;

/** The credential of a request, and how to look it up. */
export interface CredentialCheck<Found> {
  readonly address: string;
  /** SHA-256 of the credential or cookie. */
  readonly hash: Buffer;
  /** Looks it up with a statement of its own; undefined if it is not valid. */
  readonly lookUp: () => Promise<Found | undefined>;
  /** The same in a batch with other credentials, in turns by address. */
  readonly lookUpInBatch: (address: string) => Promise<Found | undefined>;
  /** The answer to one that is not valid. */
  readonly refusal: () => Problem;
}

/**
 * Bounds what wrong credentials from one address cost, and how often a credential is served. A right one is served
 * however many wrong ones come from its address. Memory is bounded, whatever callers send.
 */
export class CallerLimits {
  readonly #limits: ApiLimits;
  readonly #now: () => number;
  readonly #failures: LoginFailures;
  readonly #paces = new LRUCache<number, TokenBucket>({ max: remembered });

  constructor(limits: ApiLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#failures = new LoginFailures(limits.failuresPerMinute, now);
  }

  /**
   * Returns what the credential gives access to. Throws the refusal or `too_many_failures` if it is not valid, and
   * `too_many_requests` if it is used too often.
   */
  async admit<Found extends { readonly credentialId: number }>(
    request: CredentialCheck<Found>,
  ): Promise<Found> {
    const address = addressKey(request.address);
    const checked = await this.#failures.check({
      ...{ address, who: request.hash.toString('base64') },
      ...{ alone: request.lookUp, batched: () => request.lookUpInBatch(address) },
      isRight: (found) => found !== undefined,
    });
    if ('tooMany' in checked) throw tooManyFailures(Math.ceil(60 / this.#limits.failuresPerMinute));
    if (checked.verdict === undefined) throw request.refusal();
    this.#pace(checked.verdict.credentialId);
    return checked.verdict;
  }

  #pace(credentialId: number): void {
    const { requestsPerMinute } = this.#limits;
    const now = this.#now();
    const pace =
      this.#paces.get(credentialId) ?? new TokenBucket(requestsPerMinute, requestsPerMinute / 60, now);
    this.#paces.set(credentialId, pace);
    if (!pace.hasOne(now)) throw tooManyRequests(Math.ceil(60 / requestsPerMinute));
    pace.spend(1, now);
  }
}

/** Records in the background that a credential was used now. */
export type RecordUse = (credentialId: number) => void;

/** The resolution of the last use (ms): one write in this time, however many requests there are. */
const interval = 60_000;

/** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
export function useRecorder(
  database: Database,
  now: () => number,
  onError: (error: unknown) => void,
): RecordUse {
  const notedAt = new Map<number, number>();
  return (credentialId) => {
    const at = now();
    if (at - (notedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < interval) return;
    notedAt.set(credentialId, at);
    recordCredentialUse(database.kysely, credentialId, new Date(at)).catch(onError);
  };
}
