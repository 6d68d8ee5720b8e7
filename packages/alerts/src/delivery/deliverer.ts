import {
  claimDeliveries,
  type Delivery,
  deliveryFailed,
  deliverySucceeded,
  extendClaims,
} from '@visitor-counter/database/alerts/deliveries';
import type { SecretsKeys } from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import { pauseAfter } from '@visitor-counter/service/back-off';
import type { Mailer } from './send.ts';
import { DeliveryError, sendWebhook } from './send.ts';

/** Limits of messages in flight: in total, and to one target. */
const limit = 100;
const perTarget = 10;

/** Pauses between the attempts of a message (ms), and how many there are: about three days. */
const backOff = { first: 5_000, longest: 15 * 60_000 };
const mostAttempts = 300;

/** How long a message is reserved for the process that has claimed it; the process renews the lease (ms). */
const lease = 4_000;

export interface Delivering {
  readonly database: Database;
  readonly mailer: Mailer;
  /** The keys of the webhooks; undefined if there are none. */
  readonly secretsKeys: SecretsKeys | undefined;
  /** Called after every attempt, with the problem if there was one. */
  readonly onAttempt: (delivery: Delivery, problem?: string) => void;
  /** Called when the result of an attempt cannot be stored; the message is sent again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends due messages concurrently: a target that does not answer delays only its own messages.
 *
 * A message counts as sent only after its target has accepted it. A process that dies in between causes a second
 * delivery with the same id: its claimed messages are due again after `lease`.
 */
export class Deliverer {
  readonly #options: Delivering;
  readonly #inFlight = new Map<string, { readonly target: number; readonly done: Promise<void> }>();
  /** The ids of messages without a result yet; their leases are renewed. */
  readonly #claimed = new Set<string>();
  readonly #renewal: NodeJS.Timeout;

  constructor(options: Delivering) {
    this.#options = options;
    this.#renewal = setInterval(() => this.#renewClaims(), lease / 4);
  }

  /** Claims due messages and begins to send them; returns their number. */
  async sendDue(): Promise<number> {
    const { kysely } = this.#options.database;
    const busy = [...this.#inFlight.values()].map(({ target }) => target);
    const free = limit - busy.length;
    if (free === 0) return 0;
    const due = await claimDeliveries(kysely, { limit: free, perTarget, lease, busy: [...new Set(busy)] });
    for (const delivery of due) {
      this.#claimed.add(delivery.id);
      const done = this.#attempt(delivery)
        .catch(this.#options.onError)
        .finally(() => this.#inFlight.delete(delivery.id));
      this.#inFlight.set(delivery.id, { target: delivery.target.id, done });
    }
    return due.length;
  }

  /** Resolves when no message is in flight. */
  async idle(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map(({ done }) => done));
  }

  async close(): Promise<void> {
    await this.idle();
    clearInterval(this.#renewal);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { database, onAttempt } = this.#options;
    const { id, attempts } = delivery;
    const problem = await this.#send(delivery).finally(() => this.#claimed.delete(id));
    onAttempt(delivery, problem);
    if (problem === undefined) return deliverySucceeded(database.kysely, id);
    const pause = attempts < mostAttempts ? pauseAfter(attempts, backOff, Math.random()) : undefined;
    await deliveryFailed(database.kysely, id, problem, pause);
  }

  /** Sends one message and returns the problem, if any. */
  async #send(delivery: Delivery): Promise<string | undefined> {
    try {
      if (delivery.target.kind === 'webhook')
        await sendWebhook(delivery, this.#options.secretsKeys, new Date());
      else await this.#options.mailer.send(delivery);
      return undefined;
    } catch (error) {
      if (error instanceof DeliveryError) return error.message;
      throw error;
    }
  }

  #renewClaims(): void {
    const ids = [...this.#claimed];
    if (ids.length === 0) return;
    extendClaims(this.#options.database.kysely, ids, lease).catch(this.#options.onError);
  }
}
