import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { reasonOf } from '@visitor-counter/service/errors';
import type { GatewayParts } from '../gateway-parts.ts';
import { GroupCommitter } from './group-committer.ts';
import { type StoreBatch, storeIsolatingFailures } from './isolate-failing-message.ts';

/**
 * Starts the only path by which a gateway stores crossings, over a connection of its own. `applicationName` is shown in
 * pg_stat_activity.
 */
export function startIngest(url: string, applicationName: string, parts: GatewayParts) {
  const { backpressure, log, limits } = parts;
  const instruments = parts.instruments.ingest;
  const connection = new StoringConnection(url, applicationName);
  const store: StoreBatch = async (messages) => {
    const report = await connection.use((db, journals) => storeMessages(db, journals, messages));
    instruments.stored(report);
    return report.outcomes;
  };
  const committer = new GroupCommitter({
    store: (messages) => storeIsolatingFailures(messages, store),
    backpressure,
    onFailure: (error, pause) => {
      instruments.failed();
      storing.failed(error);
      log.write('error', { ...errorFields(error), pause }, 'messages not stored; retrying');
    },
    onCommit: (facts) => {
      const failedFor = storing.stored();
      if (failedFor !== undefined)
        log.write('info', { seconds: Math.round(failedFor / 1_000) }, 'messages stored again');
      instruments.committed(facts);
    },
    limits,
  });
  const storing = new StoringStatus(() => committer.pendingSince);
  return {
    committer,
    storing,
    close: async () => {
      /* Everything was drained before: a transaction that is still in flight then must not delay the end. */
      await Promise.all([connection.close(), committer.close()]);
    },
  };
}

/** After this time without a stored message, the gateway is not ready, and units should use another one (ms). */
const notReadyAfter = 1_500;

/** How long after a failure the absence of messages does not count as recovery (ms). */
const failureMemory = 10_000;

/** Whether messages are stored, judged by the last transactions. All times are from `performance.now()`. */
class StoringStatus {
  readonly #pendingSince: () => number | undefined;
  #failing: { readonly since: number; readonly last: number; readonly reason: string } | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;

  /** `pendingSince` returns when the oldest message arrived that is not stored. */
  constructor(pendingSince: () => number | undefined) {
    this.#pendingSince = pendingSince;
  }

  /** A transaction has failed. */
  failed(error: unknown, now = performance.now()): void {
    this.#failing = { since: this.#failing?.since ?? now, last: now, reason: reasonOf(error) };
  }

  /** A transaction has committed. Returns for how long transactions had failed before it (ms); undefined if the last had not. */
  stored(now = performance.now()): number | undefined {
    const failedFor = this.#failing && now - this.#failing.since;
    this.#failing = undefined;
    this.#storedAt = now;
    return failedFor;
  }

  /**
   * Why this gateway is not ready; undefined when it is. It is ready while messages are stored, and not ready when one
   * has been pending for too long. If nothing was stored lately, the result of `probe` decides.
   */
  async readiness(
    probe: () => Promise<string | undefined>,
    now = performance.now(),
  ): Promise<string | undefined> {
    const problem = this.problem(now);
    if (problem !== undefined) return problem;
    const storesNow = this.#failing === undefined && now - this.#storedAt <= notReadyAfter;
    return storesNow ? undefined : await probe();
  }

  /** Why messages are not stored; undefined when they are, or there are none. */
  problem(now = performance.now()): string | undefined {
    const pendingSince = this.#pendingSince();
    const { since = now, last = now - failureMemory, reason } = this.#failing ?? {};
    if (pendingSince === undefined && now - last >= failureMemory) return undefined;
    /* A statement that waits for a lock has not failed. */
    const begun = Math.min(since, Math.max(pendingSince ?? now, this.#storedAt));
    if (now - begun <= notReadyAfter) return undefined;
    const problem = `nothing has been stored for ${Math.round((now - begun) / 1_000)} s`;
    return reason === undefined ? problem : `${problem}: ${reason}`;
  }
}
