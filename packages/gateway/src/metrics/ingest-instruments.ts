import type { StoreReport } from '@visitor-counter/database/ingest/store-messages';
import { addCounter, addTotal, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import { unitChannels } from '@visitor-counter/wire/topics';
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

/** Counts what happens between a message's arrival and its acknowledgement. */
export type IngestInstruments = ReturnType<typeof ingestInstruments>;

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

/** Counts on the hot path are additions; histograms are observed once for each transaction. */
export function ingestInstruments(registry: Metrics) {
  const messages = new NamedTotals(unitChannels);
  const unacknowledged = new NamedTotals(['full', 'unstorable', 'late', 'overloaded']);
  const crossings = new NamedTotals(['received', 'stored', 'duplicate', 'conflict', 'unstorable']);
  const rejected = new NamedTotals(reasonClasses);
  let failures = 0;
  const counter = (name: string, help: string, label: string, totals: NamedTotals) =>
    addCounter(registry, `visitor_counter_${name}`, help, label, () => totals.entries());
  counter('messages_total', 'Messages received from units.', 'channel', messages);
  counter('unacknowledged_total', 'Messages not acknowledged, by reason.', 'reason', unacknowledged);
  counter(
    'crossings_total',
    'Crossings, by state: received, and then stored, duplicate, conflict or unstorable.',
    'state',
    crossings,
  );
  counter('rejected_total', 'Messages newly stored as rejected, by class of reason.', 'reason', rejected);
  const failed = 'Transactions that failed and are retried.';
  addTotal(registry, 'visitor_counter_commit_failures_total', failed, () => failures);
  const { took, oldest, batchCrossings } = commitHistograms(registry);
  return {
    /** A message within its device's rights has arrived, with so many crossings that could be decoded. */
    received: (channel: string, count: number) => {
      messages.add(channel);
      crossings.add('received', count);
    },
    unacknowledged: (reason: string) => unacknowledged.add(reason),
    /** A transaction has committed these changes. */
    stored: ({ inserted, duplicates, rejected: unstorable, conflicts, rejectedReasons }: StoreReport) => {
      crossings.add('stored', inserted);
      crossings.add('duplicate', duplicates);
      crossings.add('conflict', conflicts);
      crossings.add('unstorable', unstorable - conflicts);
      for (const reason of rejectedReasons) rejected.add(reason.split(':', 1)[0] ?? '');
    },
    committed: (facts: CommitFacts) => {
      took.observe(facts.took / 1_000);
      oldest.observe(facts.oldest / 1_000);
      batchCrossings.observe(facts.crossings);
    },
    /** A transaction has failed and will be retried. */
    failed: () => {
      failures += 1;
    },
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
