import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import { addCounter, addGauge, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import type { Replica } from './replica.ts';

/** What exports and reports are read from: the replica if there is one that can be used, else the primary. */
export class Snapshots {
  readonly #primary: Database;
  readonly #replica: Replica | undefined;
  readonly #answers = new NamedTotals(['primary', 'replica']);

  constructor(primary: Database, replica: Replica | undefined) {
    this.#primary = primary;
    this.#replica = replica;
  }

  async open(signal?: AbortSignal): Promise<Snapshot> {
    const snapshot = await this.#openReplica(signal);
    this.#answers.add(snapshot ? 'replica' : 'primary');
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

  /** Adds the metrics of reports and of the replica; called once. */
  addMetrics(registry: Metrics): void {
    const name = (rest: string) => `visitor_counter_api_${rest}`;
    const answers = 'Exports and reports, by the database that they were read from.';
    addCounter(registry, name('reports_total'), answers, 'database', () => this.#answers.entries());
    const unused = 'Whether there is a replica that cannot be used.';
    const isUnused = () => this.#replica !== undefined && this.#replica.usable === undefined;
    addGauge(registry, name('replica_unused'), unused, () => Number(isUnused()));
    const lag = 'How far the replica is behind the primary, in seconds.';
    addGauge(registry, name('replica_lag_seconds'), lag, () => {
      const ms = this.#replica?.lag;
      return ms === undefined ? undefined : ms / 1_000;
    });
  }
}
