import {
  type Channel,
  channels,
  claimMessages,
  type Message,
  recordDelivery,
  recordFailure,
} from '@visitor-counter/database/outbox/outbox';
import type { Database } from '@visitor-counter/database/sql/connect';
import { pauseAfter } from '@visitor-counter/service/back-off';
import { DeliveryError } from './mailer.ts';

/** A message with its content. */
export interface Prepared {
  /** Fields for the log. */
  readonly about: object;
  /** Throws a DeliveryError if it was not accepted, or if the signal aborted before that. */
  readonly send: (signal: AbortSignal) => Promise<void>;
}

/** Reads a message of each channel by its id; undefined if there is nothing to send any more. */
export type Prepare = Readonly<Record<Channel, (id: string) => Promise<Prepared | undefined>>>;

interface Sending {
  readonly database: Database;
  readonly prepare: Prepare;
  /** Called after every attempt, with the problem if there was one. */
  readonly onAttempt: (channel: Channel, about: object, problem?: string) => void;
  /** Called when a message cannot be made, or a result cannot be stored; the message is sent again. */
  readonly onError: (error: unknown) => void;
  /** How long an attempt may take (ms): less than the lease of its claim, after which another process sends the message. */
  readonly timeLimit?: number;
}

/** The most messages in flight: a slow mail server delays no webhook, and reports, which take longer, delay no alert. */
const mostInFlight: Readonly<Record<Channel, number>> = { webhook: 100, mail: 100, report: 8 };

/** Pauses between the attempts of a message (ms), and how many there are: it is tried for more than two days. */
const backOff = { first: 5_000, longest: 15 * 60_000 };
const mostAttempts = 300;

/**
 * Sends the due messages of the outbox concurrently.
 *
 * A message counts as sent only after its target has accepted it. A process that dies in between causes a second delivery
 * with the same id, when its claims have ended.
 */
export class Sender {
  readonly #options: Sending;
  readonly #inFlight = {
    webhook: new Set<Promise<void>>(),
    mail: new Set<Promise<void>>(),
    report: new Set<Promise<void>>(),
  };
  readonly #stopping = new AbortController();

  constructor(options: Sending) {
    this.#options = options;
  }

  /** Claims due messages and begins to send them; returns their number. */
  async sendDue(): Promise<number> {
    const { database, onError } = this.#options;
    let claimed = 0;
    for (const channel of channels) {
      const inFlight = this.#inFlight[channel];
      const free = mostInFlight[channel] - inFlight.size;
      const due = free > 0 ? await claimMessages(database.kysely, channel, free) : [];
      for (const message of due) {
        const done = this.#attempt(channel, message)
          .catch(onError)
          .finally(() => inFlight.delete(done));
        inFlight.add(done);
      }
      claimed += due.length;
    }
    return claimed;
  }

  /** Resolves when no message is in flight. */
  async idle(): Promise<void> {
    await Promise.all(channels.flatMap((channel) => [...this.#inFlight[channel]]));
  }

  /** Waits for `grace` (ms) at most; messages that are still in flight are then aborted, and sent again later. */
  async close(grace = 5_000): Promise<void> {
    const late = setTimeout(() => this.#stopping.abort(), grace);
    await this.idle();
    clearTimeout(late);
  }

  async #attempt(channel: Channel, { id, attempts }: Message): Promise<void> {
    const { database, prepare, onAttempt, onError, timeLimit = 80_000 } = this.#options;
    const { signal: stopping } = this.#stopping;
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeLimit)]);
    let prepared: Prepared | undefined;
    try {
      prepared = await prepare[channel](id);
      signal.throwIfAborted();
      await prepared?.send(signal);
    } catch (error) {
      const isRefused = error instanceof DeliveryError;
      const isFinal = isRefused && error.isFinal;
      const isStopped = stopping.aborted && !isFinal;
      const reason = isRefused ? error.message : 'the message could not be made';
      const problem = isStopped ? 'this process was stopped before the message was accepted' : reason;
      if (isRefused) onAttempt(channel, prepared?.about ?? {}, problem);
      else onError(error);
      const isLast = isFinal || (attempts >= mostAttempts && !isStopped);
      const pause = isLast ? undefined : pauseAfter(attempts, backOff, Math.random());
      return await recordFailure(database.kysely, id, problem, pause);
    }
    if (prepared) onAttempt(channel, prepared.about);
    await recordDelivery(database.kysely, id);
  }
}
