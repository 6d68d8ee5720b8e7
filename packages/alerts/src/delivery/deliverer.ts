import { type Outbox, recordDelivery, recordFailure } from '@visitor-counter/database/outbox/outbox';
import type { Database } from '@visitor-counter/database/sql/connect';
import { type BackOffOptions, pauseAfter } from '@visitor-counter/service/back-off';
import { addCounter, type Metrics } from '@visitor-counter/service/metrics';
import { DeliveryError } from './mailer.ts';

/** A claimed message. */
interface Message {
  readonly id: string;
  /** Including this one. */
  readonly attempts: number;
}

export interface Delivering<M extends Message> {
  readonly database: Database;
  readonly outbox: Outbox;
  /** The most messages in flight. */
  readonly limit: number;
  /** Claims at most so many due messages. */
  readonly claim: (most: number) => Promise<M[]>;
  /** Sends a message. Throws a DeliveryError if it was not accepted, or if the signal aborted before that. */
  readonly send: (message: M, signal: AbortSignal) => Promise<void>;
  /** Pauses between the attempts of a message, and how many there are. */
  readonly backOff: BackOffOptions;
  readonly mostAttempts: number;
  /** Called after every attempt, with the problem if there was one. */
  readonly onAttempt: (message: M, problem?: string) => void;
  /** Called when a message cannot be made, or a result cannot be stored; the message is sent again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the due messages of an outbox concurrently.
 *
 * A message counts as sent only after its target has accepted it. A process that dies in between causes a second delivery
 * with the same id, when its claims have ended.
 */
export class Deliverer<M extends Message> {
  readonly #options: Delivering<M>;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(options: Delivering<M>) {
    this.#options = options;
  }

  /** Claims due messages and begins to send them; returns their number. */
  async sendDue(): Promise<number> {
    const { claim, limit, onError } = this.#options;
    const free = limit - this.#inFlight.size;
    if (free <= 0) return 0;
    const due = await claim(free);
    for (const message of due) {
      const done = this.#attempt(message)
        .catch(onError)
        .finally(() => this.#inFlight.delete(done));
      this.#inFlight.add(done);
    }
    return due.length;
  }

  /** Resolves when no message is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Waits for `grace` (ms) at most; messages that are still in flight are then aborted, and sent again later. */
  async close(grace = 5_000): Promise<void> {
    const late = setTimeout(() => this.#stopping.abort(), grace);
    await this.idle();
    clearTimeout(late);
  }

  async #attempt(message: M): Promise<void> {
    const { database, outbox, send, backOff, mostAttempts, onAttempt, onError } = this.#options;
    const { id, attempts } = message;
    const { signal } = this.#stopping;
    try {
      await send(message, signal);
    } catch (error) {
      const isRefused = error instanceof DeliveryError;
      const isFinal = isRefused && error.isFinal;
      const isStopped = signal.aborted && !isFinal;
      const reason = isRefused ? error.message : 'the message could not be made';
      const problem = isStopped ? 'this process was stopped before the message was accepted' : reason;
      if (isRefused) onAttempt(message, problem);
      else onError(error);
      const isLast = isFinal || (attempts >= mostAttempts && !isStopped);
      const pause = isLast ? undefined : pauseAfter(attempts, backOff, Math.random());
      return await recordFailure(database.kysely, outbox, id, problem, pause);
    }
    onAttempt(message);
    await recordDelivery(database.kysely, outbox, id);
  }
}

/** A metric of attempts to send, by result. Returns a function that counts one, with its problem if there was one. */
export function countAttempts(
  metrics: Metrics,
  name: string,
  help: string,
): (problem: string | undefined) => void {
  const attempts = { sent: 0, failed: 0 };
  addCounter(metrics, name, help, 'result', () => Object.entries(attempts));
  return (problem) => {
    attempts[problem === undefined ? 'sent' : 'failed'] += 1;
  };
}
