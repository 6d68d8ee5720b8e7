import {
  claimDeliveries,
  type Delivery,
  deliveryFailed,
  deliverySucceeded,
  keepClaims,
} from '@visitor-counter/database/alerts/deliveries';
import type { Database } from '@visitor-counter/database/sql/connect';
import { DeliveryError } from './delivery-error.ts';
import type { Mailer } from './mailer.ts';
import { nextAttempt } from './next-attempt.ts';
import { sendWebhook } from './send-webhook.ts';

/** Messages that are on their way at a time: in all, and to one target. */
const limit = 100;
const perTarget = 10;

/** For how long a message is left to the process that took it, unless that says again that it is at it (ms). */
const lease = 4_000;

export interface Delivering {
  readonly database: Database;
  readonly mailer: Mailer;
  /** Told of every attempt: the target's label, and the problem if there was one. */
  readonly onAttempt: (delivery: Delivery, problem?: string) => void;
  /** Told when the database cannot be told of an attempt; the message is sent again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends what is due, side by side: a target that does not answer holds up its own messages and no others.
 *
 * A message counts as sent only when its target has taken it; whoever dies between the two sends it again, under
 * the same id. What a process that died had taken is due again within `lease`, so that its death does not delay
 * a message for longer.
 */
export class Deliverer {
  readonly #options: Delivering;
  readonly #underWay = new Map<string, { readonly target: number; readonly done: Promise<void> }>();
  /** Those of which the outcome is not known yet. */
  readonly #kept = new Set<string>();
  readonly #keeping: NodeJS.Timeout;

  constructor(options: Delivering) {
    this.#options = options;
    this.#keeping = setInterval(() => this.#keep(), lease / 4);
  }

  /** Takes what is due and sets out with it; returns how many messages that are. */
  async look(): Promise<number> {
    const { kysely } = this.#options.database;
    const busy = [...this.#underWay.values()].map(({ target }) => target);
    const free = limit - busy.length;
    if (free === 0) return 0;
    const due = await claimDeliveries(kysely, { limit: free, perTarget, lease, busy: [...new Set(busy)] });
    for (const delivery of due) {
      this.#kept.add(delivery.id);
      const done = this.#attempt(delivery)
        .catch(this.#options.onError)
        .finally(() => this.#underWay.delete(delivery.id));
      this.#underWay.set(delivery.id, { target: delivery.target.id, done });
    }
    return due.length;
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  async close(): Promise<void> {
    await this.settled();
    clearInterval(this.#keeping);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { database, onAttempt } = this.#options;
    const { id, attempts } = delivery;
    const problem = await this.#send(delivery).finally(() => this.#kept.delete(id));
    onAttempt(delivery, problem);
    if (problem === undefined) return deliverySucceeded(database.kysely, id);
    await deliveryFailed(database.kysely, id, problem, nextAttempt(attempts, Math.random()));
  }

  /** What stood in the way, if anything. */
  async #send(delivery: Delivery): Promise<string | undefined> {
    try {
      if (delivery.target.kind === 'webhook') await sendWebhook(delivery, new Date());
      else await this.#options.mailer.send(delivery);
      return undefined;
    } catch (error) {
      if (error instanceof DeliveryError) return error.message;
      throw error;
    }
  }

  #keep(): void {
    const ids = [...this.#kept];
    if (ids.length === 0) return;
    keepClaims(this.#options.database.kysely, ids, lease).catch(this.#options.onError);
  }
}
