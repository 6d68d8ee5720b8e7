import type { Delivery } from '@visitor-counter/database/alerts/deliveries';
import { Webhook } from 'standardwebhooks';
import { DeliveryError } from './delivery-error.ts';
import { messageIdOf, notificationOf } from './notification.ts';

/** Time limit for the answer of a target (ms). */
const deadline = 10_000;

/**
 * POSTs the notification to a webhook, signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature`; https://www.standardwebhooks.com). Any 2xx counts as received; redirects are not
 * followed. Throws a DeliveryError otherwise.
 */
export async function sendWebhook(delivery: Delivery, now: Date): Promise<void> {
  const { address, secret } = delivery.target;
  const id = messageIdOf(delivery);
  const body = JSON.stringify(notificationOf(delivery));
  const signature = new Webhook(secret ?? '').sign(id, now, body);
  const response = await fetch(address, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(deadline),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'visitor-counter',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signature,
    },
  }).catch((error: unknown) => {
    throw new DeliveryError('unreachable', reasonOf(error), { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new DeliveryError('refused', `it answered ${response.status}`);
}

/** fetch reports the reason in the cause. The address, which may contain a key, is in neither. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be reached';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return `it cannot be reached (${cause.code})`;
  return error.name === 'TimeoutError' ? `it did not answer within ${deadline} ms` : 'it cannot be reached';
}
