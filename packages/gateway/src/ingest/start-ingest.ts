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
  /** From `performance.now()`. */
  let storedAt = Number.NEGATIVE_INFINITY;
  let failing: { readonly since: number; readonly last: number; readonly reason: string } | undefined;
  const committer = new GroupCommitter({
    store: (messages) => storeIsolatingFailures(messages, store),
    backpressure,
    onFailure: (error, pause) => {
      instruments.failed();
      const now = performance.now();
      failing = { since: failing?.since ?? now, last: now, reason: reasonOf(error) };
      log.write('error', { ...errorFields(error), pause }, 'messages not stored; retrying');
    },
    onCommit: (facts) => {
      storedAt = performance.now();
      if (failing) log.write('info', { seconds: secondsSince(failing.since) }, 'messages stored again');
      failing = undefined;
      instruments.committed(facts);
    },
    limits,
  });
  /** Why messages are not stored; undefined when they are, or there are none. */
  const problem = () => {
    const now = performance.now();
    /* The oldest message may wait for longer than that while the ones before it are stored. */
    const waitingSince = Math.max(committer.pendingSince ?? now, storedAt);
    const failingSince = failing && now - failing.last < failureMemory ? failing.since : now;
    const since = Math.min(waitingSince, failingSince);
    if (now - since <= notReadyAfter) return undefined;
    const reason = failing ? `: ${failing.reason}` : '';
    return `nothing has been stored for ${secondsSince(since)} s${reason}`;
  };
  return {
    committer,
    problem,
    /** Why this gateway is not ready; undefined when it is. If nothing was stored lately, the result of `probe` decides. */
    readiness: async (probe: () => Promise<string | undefined>) =>
      problem() ?? (performance.now() - storedAt <= notReadyAfter ? undefined : await probe()),
    close: async () => {
      /* Everything was drained before: a transaction that is still in flight then must not delay the end. */
      await Promise.all([connection.close(), committer.close()]);
    },
  };
}

/** After this time without a stored message, the gateway is not ready, and units should use another one (ms). */
const notReadyAfter = 1_500;

/**
 * How long after a failure the absence of messages does not count as recovery (ms): units whose messages have waited for too
 * long are disconnected, and send them again.
 */
const failureMemory = 10_000;

function secondsSince(instant: number): number {
  return Math.round((performance.now() - instant) / 1_000);
}
