import { type Database, replicaLag } from '@visitor-counter/database/sql/connect';
import { openSnapshot, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { reasonOf } from '@visitor-counter/service/errors';
import { addCounters, addGauge, type Metrics } from '@visitor-counter/service/metrics';
import { repeat } from '@visitor-counter/service/repeat';

/** Polling interval for whether the replica can be used (ms). */
const checkInterval = 1_000;

interface SnapshotsOptions {
  readonly primary: Database;
  /** The standby of `DATABASE_READ_URL`, which is used while its lag (ms) is below the limit. */
  readonly replica: { readonly database: Database; readonly maxLag: number } | undefined;
  readonly log: BoundedLog;
  readonly metrics: Metrics;
}

export type Snapshots = ReturnType<typeof snapshotsOf>;

/** What exports and reports are read from: the replica if there is one that can be used, else the primary. */
export function snapshotsOf({ primary, replica, log, metrics }: SnapshotsOptions) {
  const standby = replica && checkedStandby(primary, replica.database, replica.maxLag, log);
  const answered = addMetrics(metrics, standby);
  return {
    async open(signal?: AbortSignal): Promise<Snapshot> {
      const snapshot = await standby?.open(signal);
      answered(snapshot ? 'replica' : 'primary');
      return snapshot ?? (await openSnapshot(primary, signal));
    },
    /** Closes the replica. */
    close: async () => standby?.close(),
  };
}

type Standby = ReturnType<typeof checkedStandby>;

/** A standby that is not used until a check has succeeded, and after a failure until the next one. */
function checkedStandby(primary: Database, database: Database, maxLag: number, log: BoundedLog) {
  /* Why it is not used. */
  let reason: string | undefined = 'it has not been checked yet';
  let lag: number | undefined;
  const update = (newReason: string | undefined, newLag?: number) => {
    lag = newLag;
    if (newReason === reason) return;
    reason = newReason;
    if (reason === undefined) log.write('info', {}, 'replica used for exports and reports');
    else log.write('warn', { reason }, 'replica not used, the primary answers');
  };
  const failed = (error: unknown) => update(reasonOf(error));
  const check = async (signal: AbortSignal) =>
    update(undefined, await replicaLag(primary, database, maxLag, signal));
  const checks = repeat(checkInterval, check, failed);
  return {
    isUsed: () => reason === undefined,
    /** How far it is behind the primary (ms); undefined while it is not used. */
    lag: () => lag,
    /** Undefined if it cannot be used. */
    async open(signal?: AbortSignal): Promise<Snapshot | undefined> {
      if (reason !== undefined) return undefined;
      try {
        return await openSnapshot(database, signal);
      } catch (error) {
        signal?.throwIfAborted();
        failed(error);
        return undefined;
      }
    },
    async close() {
      await checks.close();
      await database.close();
    },
  };
}

/** Adds the metrics of reports and of the replica. Returns the counter of reports. */
function addMetrics(registry: Metrics, standby: Standby | undefined) {
  const name = (rest: string) => `visitor_counter_api_${rest}`;
  const unused = 'Whether there is a replica that cannot be used.';
  addGauge(registry, name('replica_unused'), unused, () => Number(standby?.isUsed() === false));
  const lag = 'How far the replica is behind the primary, in seconds.';
  addGauge(registry, name('replica_lag_seconds'), lag, () => {
    const ms = standby?.lag();
    return ms === undefined ? undefined : ms / 1_000;
  });
  const reports = 'Exports and reports, by the database that they were read from.';
  return addCounters(registry, name('reports_total'), reports, 'database', ['primary', 'replica']);
}
