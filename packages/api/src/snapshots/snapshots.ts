import { isReplicaFailure } from '@visitor-counter/database/replica/replica-snapshot';
import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import { addCounter, addGauge, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import { faultTexts, type Replica } from './replica.ts';

/**
 * The snapshots that exports and reports are read from: of the replica if there is one that can be used, else of the
 * primary. An answer contains everything that any caller was shown before its request.
 */
export class Snapshots {
  readonly #primary: Database;
  readonly #replica: Replica | undefined;
  readonly #answers = new NamedTotals(['used', 'none', ...Object.keys(faultTexts)]);

  constructor(primary: Database, replica: Replica | undefined) {
    this.#primary = primary;
    this.#replica = replica;
  }

  /** What the operator should know; undefined while the replica is used, or if there is none. */
  get remark(): string | undefined {
    const fault = this.#replica?.fault;
    return fault && `the replica is not used: ${faultTexts[fault]}`;
  }

  /** What `read` returns for a snapshot; if the replica fails meanwhile, for one of the primary. */
  async read<Result>(read: (snapshot: Snapshot) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const results = this.stream(async function* (snapshot) {
      yield await read(snapshot);
    }, signal);
    for await (const result of results) return result;
    throw new Error('a read has no result');
  }

  /**
   * The batches of `read` for a snapshot. If the replica fails before the first batch, those for one of the primary; if it
   * fails later, its error is thrown, and the next call reads from the primary.
   */
  async *stream<Batch>(
    read: (snapshot: Snapshot) => AsyncIterable<Batch>,
    signal?: AbortSignal,
  ): AsyncGenerator<Batch, void> {
    const ended = yield* this.#fromReplica(read, signal);
    if (ended) return;
    this.#answers.add(this.#replica === undefined ? 'none' : (this.#replica.fault ?? 'failed'));
    await using snapshot = await openSnapshot(this.#primary, signal);
    yield* read(snapshot);
  }

  /** Returns false if nothing was read from the replica. */
  async *#fromReplica<Batch>(
    read: (snapshot: Snapshot) => AsyncIterable<Batch>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Batch, boolean> {
    const opened = await this.#replica?.open(signal);
    if (opened === undefined) return false;
    await using snapshot = opened;
    let hasBegun = false;
    try {
      for await (const batch of read(snapshot)) {
        if (!hasBegun) this.#answers.add('used');
        hasBegun = true;
        yield batch;
      }
      if (!hasBegun) this.#answers.add('used');
      return true;
    } catch (error) {
      if (signal?.aborted || !isReplicaFailure(error)) throw error;
      this.#replica?.failed(error);
      if (hasBegun) throw error;
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#replica?.close();
  }

  /** Adds the metrics of reports and of the replica; called once. */
  addMetrics(registry: Metrics): void {
    const name = (rest: string) => `visitor_counter_api_${rest}`;
    const answers = 'Exports and reports, by whether the replica was used, or why it was not.';
    addCounter(registry, name('reports_total'), answers, 'replica', () => this.#answers.entries());
    const unused = 'Whether there is a replica that cannot be used.';
    addGauge(registry, name('replica_unused'), unused, () => (this.#replica?.fault === undefined ? 0 : 1));
    const lag = 'How far the replica is behind the primary, in seconds.';
    addGauge(registry, name('replica_lag_seconds'), lag, () => this.#replica?.lag);
  }
}
