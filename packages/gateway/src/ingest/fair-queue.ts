import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { IngestResult } from './store-within-limits.ts';

/** A received message that is not committed yet. */
export interface PendingMessage {
  readonly message: MessageToStore;
  /** Estimated memory. */
  readonly bytes: number;
  /** From `performance.now()`. */
  readonly arrivedAt: number;
  /** The position in the fair order; set when more messages are pending than fit into one transaction. */
  startTag?: number | undefined;
  /** Reports the result once; undefined after that. */
  report: ((result: IngestResult) => void) | undefined;
}

/**
 * Messages for the next transactions: in the order of arrival if all of them fit into one transaction, else in fair
 * order.
 */
export class FairQueue {
  #messages: PendingMessage[] = [];
  readonly #tags = new StartTags();

  get length(): number {
    return this.#messages.length;
  }

  /** The crossings in all messages; takes time in proportion to the length. */
  get crossings(): number {
    return crossingsOf(this.#messages);
  }

  /** When the oldest message arrived (`performance.now()`). */
  get oldest(): number | undefined {
    return oldestOf(this.#messages);
  }

  push(message: PendingMessage): void {
    this.#messages.push(message);
  }

  /** Removes messages in fair order, with at most `maxRows` crossings in total but at least one message. */
  take(maxRows: number): PendingMessage[] {
    const pending = this.#messages;
    this.#messages = [];
    if (rowsOf(pending) <= maxRows) {
      this.#tags.reset(pending);
      return pending;
    }
    this.#tags.assign(pending);
    const ordered = pending.toSorted((a, b) => (a.startTag ?? 0) - (b.startTag ?? 0));
    let count = 0;
    for (let rows = 0; count < ordered.length; count += 1) {
      rows += weightOf(ordered[count]);
      if (rows > maxRows && count > 0) break;
    }
    const taken = ordered.slice(0, count);
    this.#messages = ordered.slice(count);
    this.#tags.advance(taken);
    return taken;
  }

  /** Puts messages that were taken in front of all others. */
  requeue(messages: readonly PendingMessage[]): void {
    this.#messages = [...messages, ...this.#messages];
  }

  /** Removes the messages that arrived before a moment (`performance.now()`). */
  removeOlder(moment: number): PendingMessage[] {
    const isOlder = ({ arrivedAt }: PendingMessage) => arrivedAt < moment;
    const removed = this.#messages.filter(isOlder);
    if (removed.length > 0) this.#messages = this.#messages.filter((message) => !isOlder(message));
    return removed;
  }
}

/**
 * Start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) if more messages are pending than fit into one
 * transaction: the crossings of one device alternate with those of the others, so that one device with many pending
 * crossings does not delay the others.
 */
class StartTags {
  /** The tag of the last message that was taken. */
  #virtualTime = 0;
  /** The smallest tag for the next message of a device. */
  readonly #next = new Map<number, number>();

  /** Resets the fair order, because all pending messages are taken. Messages that are requeued later get new tags. */
  reset(messages: readonly PendingMessage[]): void {
    if (this.#virtualTime === 0 && this.#next.size === 0) return;
    this.#virtualTime = 0;
    this.#next.clear();
    for (const message of messages) message.startTag = undefined;
  }

  /** Tags the messages that have no tag, in the order of their arrival. */
  assign(messages: readonly PendingMessage[]): void {
    for (const pending of messages) {
      if (pending.startTag !== undefined) continue;
      const { deviceId } = pending.message;
      pending.startTag = Math.max(this.#virtualTime, this.#next.get(deviceId) ?? 0);
      this.#next.set(deviceId, pending.startTag + weightOf(pending));
    }
  }

  advance(taken: readonly PendingMessage[]): void {
    this.#virtualTime = taken.at(-1)?.startTag ?? this.#virtualTime;
    for (const [deviceId, next] of this.#next) if (next <= this.#virtualTime) this.#next.delete(deviceId);
  }
}

function rowsOf(messages: readonly PendingMessage[]): number {
  let rows = 0;
  for (const message of messages) rows += weightOf(message);
  return rows;
}

/** The cost of a message in rows; a message without crossings counts as one. */
function weightOf(pending: PendingMessage | undefined): number {
  return Math.max(1, pending?.message.batch?.crossings.length ?? 0);
}

/** When the oldest of some messages arrived (`performance.now()`); undefined when there are none. */
export function oldestOf(messages: readonly PendingMessage[]): number | undefined {
  let oldest: number | undefined;
  for (const { arrivedAt } of messages) if (oldest === undefined || arrivedAt < oldest) oldest = arrivedAt;
  return oldest;
}

/** The number of crossings in messages. */
export function crossingsOf(messages: readonly PendingMessage[]): number {
  let crossings = 0;
  for (const { message } of messages) crossings += message.batch?.crossings.length ?? 0;
  return crossings;
}
