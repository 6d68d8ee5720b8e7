import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { IngestResult } from './isolate-failing-message.ts';

/** A received message that is not committed yet. */
export interface PendingMessage {
  readonly message: MessageToStore;
  /** Estimated memory. */
  readonly bytes: number;
  /** From `performance.now()`. */
  readonly arrivedAt: number;
  /** Reports the result once; undefined after that. */
  report: ((result: IngestResult) => void) | undefined;
}

/** Messages for the next transactions, in the order of arrival. */
export class MessageQueue {
  #messages: PendingMessage[] = [];

  get length(): number {
    return this.#messages.length;
  }

  /** The crossings in all messages; takes time in proportion to the length. */
  get crossings(): number {
    return crossingsOf(this.#messages);
  }

  /** When the oldest message arrived (`performance.now()`). */
  get oldest(): number | undefined {
    return this.#messages[0]?.arrivedAt;
  }

  push(message: PendingMessage): void {
    this.#messages.push(message);
  }

  /** Removes the first messages, with at most `maxCrossings` in total but at least one message. */
  take(maxCrossings: number): PendingMessage[] {
    let count = 0;
    for (let crossings = 0; count < this.#messages.length; count += 1) {
      crossings += weightOf(this.#messages[count]);
      if (crossings > maxCrossings && count > 0) break;
    }
    return this.#messages.splice(0, count);
  }

  /** Puts messages that were taken in front of all others. */
  requeue(messages: readonly PendingMessage[]): void {
    this.#messages = [...messages, ...this.#messages];
  }

  /** Removes the messages that arrived before a moment (`performance.now()`). */
  removeOlder(moment: number): PendingMessage[] {
    const kept = this.#messages.findIndex(({ arrivedAt }) => arrivedAt >= moment);
    return this.#messages.splice(0, kept < 0 ? this.#messages.length : kept);
  }
}

/** A message without crossings counts as one. */
function weightOf(pending: PendingMessage | undefined): number {
  return Math.max(1, pending?.message.batch?.crossings.length ?? 0);
}

/** The number of crossings in messages. */
export function crossingsOf(messages: readonly PendingMessage[]): number {
  let crossings = 0;
  for (const { message } of messages) crossings += message.batch?.crossings.length ?? 0;
  return crossings;
}
