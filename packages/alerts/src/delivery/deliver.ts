import {
  claimDeliveries,
  type Delivery,
  deliveryFailed,
  deliverySucceeded,
} from '@visitor-counter/database/alerts/deliveries';
import type { Database } from '@visitor-counter/database/connect';
import { DeliveryError } from './delivery-error.ts';
import type { Mailer } from './mailer.ts';
import { nextAttempt } from './next-attempt.ts';
import { sendWebhook } from './send-webhook.ts';

/** Messages that are sent at a time. */
const limit = 20;

/** Longer than any attempt can take (ms). */
const lease = 60_000;

export interface Delivering {
  readonly database: Database;
  readonly mailer: Mailer;
  /** Told of every attempt: the target's label, and the problem if there was one. */
  readonly onAttempt: (delivery: Delivery, problem?: string) => void;
}

/**
 * Sends what is due and returns how many messages that were. A message counts as sent only when its target
 * has taken it; whoever dies between the two sends it again, under the same id.
 */
export async function deliver({ database, mailer, onAttempt }: Delivering): Promise<number> {
  const due = await claimDeliveries(database.kysely, { limit, lease });
  await Promise.all(due.map((delivery) => attempt(delivery)));
  return due.length;

  async function attempt(delivery: Delivery): Promise<void> {
    const { id, attempts, target } = delivery;
    try {
      await (target.kind === 'webhook' ? sendWebhook(delivery, new Date()) : mailer.send(delivery));
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      onAttempt(delivery, error.message);
      return deliveryFailed(database.kysely, id, error.message, nextAttempt(attempts, Math.random()));
    }
    onAttempt(delivery);
    await deliverySucceeded(database.kysely, id);
  }
}
