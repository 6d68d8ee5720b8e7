import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import { addCounters, addGauge, type Metrics } from '@visitor-counter/service/metrics';
import type { Replica } from './replica.ts';

/** What exports and reports are read from: the replica if there is one that can be used, else the primary. */
export class Snapshots {
  readonly #primary: Database;
  readonly #replica: Replica | undefined;
  readonly #answered: (database: 'primary' | 'replica') => void;

  /** Adds the metrics of reports and of the replica. */
  constructor(primary: Database, replica: Replica | undefined, registry: Metrics) {
    this.#primary = primary;
    this.#replica = replica;
    const name = (rest: string) => `visitor_counter_api_${rest}`;
    const answers = 'Exports and reports, by the database that they were read from.';
    this.#answered = addCounters(registry, name('reports_total'), answers, 'database', [
      'primary',
      'replica',
    ]);
    const unused = 'Whether there is a replica that cannot be used.';
    const isUnused = () => replica !== undefined && replica.usable === undefined;
    addGauge(registry, name('replica_unused'), unused, () => Number(isUnused()));
    const lag = 'How far the replica is behind the primary, in seconds.';
    addGauge(registry, name('replica_lag_seconds'), lag, () => {
      const ms = replica?.lag;
      return ms === undefined ? undefined : ms / 1_000;
    });
  }

  async open(signal?: AbortSignal): Promise<Snapshot> {
    const snapshot = await this.#openReplica(signal);
    this.#answered(snapshot ? 'replica' : 'primary');
    return snapshot ?? (await openSnapshot(this.#primary, signal));
  }

  async #openReplica(signal?: AbortSignal): Promise<Snapshot | undefined> {
    const replica = this.#replica?.usable;
    if (replica === undefined) return undefined;
    try {
      return await openSnapshot(replica, signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#replica?.failed(error);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#replica?.close();
  }
}
