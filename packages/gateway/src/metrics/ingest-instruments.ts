import type { StoreReport } from '@visitor-counter/database/ingest/store-messages';
import { addCounter, addCounters, type Metrics } from '@visitor-counter/service/metrics';
import { type UnitChannel, unitChannels } from '@visitor-counter/wire/topics';
import { Histogram } from 'prom-client';

/** One group commit. */
export interface CommitFacts {
  readonly crossings: number;
  /** Duration of the transaction, including repeated attempts (ms). */
  readonly took: number;
  /** From the arrival of the oldest message to the commit (ms). */
  readonly oldest: number;
}

/** The messages that are received and not committed yet. */
export interface Load {
  readonly messages: number;
  readonly crossings: number;
  /** Estimated memory. */
  readonly bytes: number;
}

/** The classes of reasons: the part before the colon. */
const reasonClasses = [
  'malformed',
  'entry',
  'instant',
  'old',
  'direction',
  'uncertainty',
  'device',
  'conflict',
  'database',
  'limit',
];

/** Tens of ms are normal disk latency; seconds indicate an outage. */
const secondBuckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizeBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/** Counts what happens between a message's arrival and its acknowledgement. */
export function ingestInstruments(registry: Metrics) {
  const counter = <Value extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly Value[],
  ) => addCounters(registry, `visitor_counter_${name}_total`, help, label, values);
  const messages = counter('messages', 'Messages received from units.', 'channel', unitChannels);
  const crossings = counter(
    'crossings',
    'Crossings, by state: received, and then stored, duplicate, conflict or unstorable.',
    'state',
    ['received', 'stored', 'duplicate', 'conflict', 'unstorable'],
  );
  const rejected = counter(
    'rejected',
    'Messages newly stored as rejected, by class of reason.',
    'reason',
    reasonClasses,
  );
  const failures = 'Transactions that failed and are retried.';
  const { took, oldest, batchCrossings } = commitHistograms(registry);
  return {
    /** A message within its device's rights has arrived, with so many crossings that could be decoded. */
    received: (channel: UnitChannel, count: number) => {
      messages(channel);
      crossings('received', count);
    },
    unacknowledged: counter('unacknowledged', 'Messages not acknowledged, by reason.', 'reason', [
      'full',
      'unstorable',
      'late',
      'overloaded',
    ]),
    /** A transaction has committed these changes. */
    stored: ({ inserted, duplicates, rejected: unstorable, conflicts, rejectedReasons }: StoreReport) => {
      crossings('stored', inserted);
      crossings('duplicate', duplicates);
      crossings('conflict', conflicts);
      crossings('unstorable', unstorable - conflicts);
      for (const reason of rejectedReasons) rejected(reason.split(':', 1)[0] ?? '');
    },
    committed: (facts: CommitFacts) => {
      took.observe(facts.took / 1_000);
      oldest.observe(facts.oldest / 1_000);
      batchCrossings.observe(facts.crossings);
    },
    /** A transaction has failed and will be retried. */
    failed: addCounter(registry, 'visitor_counter_commit_failures_total', failures),
  };
}

function commitHistograms(registry: Metrics) {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `visitor_counter_${name}`, help, buckets, registers: [registry] });
  return {
    took: histogram('commit_seconds', 'Duration of a transaction.', secondBuckets),
    oldest: histogram(
      'acknowledge_seconds',
      'Time from arrival to commit, of the oldest message of each transaction.',
      secondBuckets,
    ),
    batchCrossings: histogram('commit_crossings', 'Crossings in a transaction.', sizeBuckets),
  };
}
