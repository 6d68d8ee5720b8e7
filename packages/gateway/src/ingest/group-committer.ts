import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { BackOff } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import { type Backpressure, messageOverhead } from '../backpressure/backpressure.ts';
import type { CommitFacts, Load } from '../metrics/ingest-instruments.ts';
import type { IngestResult } from './isolate-failing-message.ts';

interface GroupCommitterOptions {
  /** Stores messages and resolves when they are committed; rejects when the database is unavailable. */
  readonly store: (messages: readonly MessageToStore[]) => Promise<readonly IngestResult[]>;
  /** Active while the pending messages exceed `pauseAbove`. */
  readonly backpressure: Backpressure;
  /** The database is unavailable; the next attempt is `retryIn` ms later. */
  readonly onFailure: (error: unknown, retryIn: number) => void;
  /** A transaction has committed. */
  readonly onCommit?: (facts: CommitFacts) => void;
  readonly limits: CommitLimits;
}

export type CommitLimits = Readonly<typeof defaultCommitLimits>;

export const defaultCommitLimits = {
  /** Crossings in one transaction. */
  rows: 2_000,
  /**
   * How long a client waits for its PUBACK (ms): longer than most failovers of the database, so that connections outlast
   * them, and shorter than units wait for any PUBACK (30 s).
   */
  wait: 25_000,
  /** Memory above which nothing is read from any client; at twice as much, messages are refused (bytes). */
  pauseAbove: 32 * 1024 * 1024,
};

/** A payload and its decoded form need about this many times the payload. */
const decodedFactor = 4;

/** A received message that is not committed yet. */
interface PendingMessage {
  readonly message: MessageToStore;
  /** Estimated memory. */
  readonly bytes: number;
  /** From `performance.now()`. */
  readonly arrivedAt: number;
  /** Reports the result once; undefined after that. */
  report: ((result: IngestResult) => void) | undefined;
}

/** Messages of a transaction, and their results. */
type Stored = Readonly<{ messages: readonly PendingMessage[]; results: readonly IngestResult[] }>;

const nothing: Stored = { messages: [], results: [] };

/**
 * Gathers the messages of all devices into transactions: all messages that arrive while one is in flight become the
 * next. So a transaction is small at low load and large at high load, without a timer.
 *
 * Every message gets exactly one result, and `stored` only after its transaction has committed. The messages of a failed
 * transaction are requeued. If one of them were reported as stored before the commit is known, its unit would forget a
 * crossing that the next crash loses.
 */
export class GroupCommitter {
  readonly #options: GroupCommitterOptions;
  readonly #limits: CommitLimits;
  /** Messages for the next transactions, in the order of arrival. */
  #queue: PendingMessage[] = [];
  readonly #expiry: NodeJS.Timeout;
  readonly #backOff = new BackOff({ first: 50, longest: 2_000 });
  readonly #closing = new AbortController();
  #inFlight: readonly PendingMessage[] = [];
  /** Estimated memory of all messages without a result. */
  #bytes = 0;
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitterOptions) {
    this.#options = options;
    this.#limits = options.limits;
    this.#expiry = setInterval(() => this.#expire(), Math.min(250, this.#limits.wait));
  }

  /** Stores a message that was decoded from `payloadBytes` bytes; resolves with the result, and never rejects. */
  submit(message: MessageToStore, payloadBytes: number): Promise<IngestResult> {
    const bytes = decodedFactor * payloadBytes + messageOverhead;
    if (this.#closing.signal.aborted || this.#bytes + bytes > 2 * this.#limits.pauseAbove)
      return Promise.resolve('overloaded');
    this.#addBytes(bytes);
    const { promise, resolve } = Promise.withResolvers<IngestResult>();
    this.#queue.push({ message, bytes, arrivedAt: performance.now(), report: resolve });
    this.#running ??= this.#run();
    return promise;
  }

  /** The messages that are not committed yet. */
  get load(): Load {
    return {
      messages: this.#queue.length + this.#inFlight.length,
      crossings: crossingsOf(this.#queue) + crossingsOf(this.#inFlight),
      bytes: this.#bytes,
    };
  }

  /** When the oldest message arrived that is not committed (`performance.now()`); undefined when there is none. */
  get pendingSince(): number | undefined {
    return (this.#inFlight[0] ?? this.#queue[0])?.arrivedAt;
  }

  /** Waits until every message has its result, at most `deadline` ms. */
  async drain(deadline: number): Promise<void> {
    const stopWaiting = new AbortController();
    await Promise.race([this.#running, pause(deadline, stopWaiting.signal)]);
    stopWaiting.abort();
  }

  /** Stops after the transaction in flight; the result of all other messages is `late`. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#expiry);
    await this.#running;
    for (const pending of this.#queue.splice(0)) this.#report(pending, 'late');
  }

  async #run(): Promise<void> {
    let stored = nothing;
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) {
      /* All messages that the sockets deliver in this turn of the event loop go into the same transaction. */
      await nextTurn();
      const storing = this.#store(this.#takeFirst());
      /* The database begins this transaction before the messages of the previous one are acknowledged. */
      await nextTurn();
      this.#reportAll(stored);
      stored = await storing;
    }
    this.#running = undefined;
    this.#reportAll(stored);
  }

  /** Removes the first messages, with at most `rows` crossings in total but at least one message. */
  #takeFirst(): PendingMessage[] {
    let count = 0;
    for (let crossings = 0; count < this.#queue.length; count += 1) {
      /* A message without crossings counts as one. */
      crossings += Math.max(1, this.#queue[count]?.message.batch?.crossings.length ?? 0);
      if (crossings > this.#limits.rows && count > 0) break;
    }
    return this.#queue.splice(0, count);
  }

  /** Stores messages in one transaction and returns their results; if it fails, requeues them and returns none. */
  async #store(messages: readonly PendingMessage[]): Promise<Stored> {
    if (messages.length === 0) return nothing;
    this.#inFlight = messages;
    const begun = performance.now();
    try {
      const results = await this.#options.store(messages.map(({ message }) => message));
      this.#inFlight = [];
      this.#backOff.reset();
      const now = performance.now();
      const [took, oldest] = [now - begun, now - (messages[0]?.arrivedAt ?? now)];
      this.#options.onCommit?.({ crossings: crossingsOf(messages), took, oldest });
      return { messages, results };
    } catch (error) {
      this.#inFlight = [];
      this.#queue = [...messages, ...this.#queue];
      const retryIn = this.#backOff.next();
      this.#options.onFailure(error, retryIn);
      await pause(retryIn, this.#closing.signal);
      return nothing;
    }
  }

  #expire(): void {
    const oldest = performance.now() - this.#limits.wait;
    const kept = this.#queue.findIndex(({ arrivedAt }) => arrivedAt >= oldest);
    const expired = this.#queue.splice(0, kept < 0 ? this.#queue.length : kept);
    for (const pending of expired) this.#report(pending, 'late');
    for (const pending of this.#inFlight) if (pending.arrivedAt < oldest) this.#report(pending, 'late');
  }

  #reportAll({ messages, results }: Stored): void {
    for (const [index, pending] of messages.entries()) this.#report(pending, results[index] ?? 'late');
  }

  #report(pending: PendingMessage, result: IngestResult): void {
    const { report, bytes } = pending;
    if (report === undefined) return;
    pending.report = undefined;
    this.#addBytes(-bytes);
    report(result);
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes;
    this.#options.backpressure.set(this.#bytes > this.#limits.pauseAbove);
  }
}

/** The number of crossings in messages. */
function crossingsOf(messages: readonly PendingMessage[]): number {
  return messages.reduce((sum, { message }) => sum + (message.batch?.crossings.length ?? 0), 0);
}
