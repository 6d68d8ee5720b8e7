import { type AlertMessage, readAlertMessage } from '@visitor-counter/database/alerts/alert-messages';
import {
  SealedSecretError,
  type SecretsKey,
  type Webhook as StoredWebhook,
  unsealWebhook,
} from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import { utcText } from '@visitor-counter/domain/time';
import { Webhook } from 'standardwebhooks';
import { alertText } from './alert-text.ts';
import { DeliveryError, type Mail, type Mailer } from './mailer.ts';
import type { Prepared } from './sender.ts';

/** Reads messages of alerts; `secretsKey`: the key of the webhooks, if there is one. */
export function alertMessages(database: Database, mailer: Mailer, secretsKey: SecretsKey | undefined) {
  return async (id: string): Promise<Prepared | undefined> => {
    const alert = await readAlertMessage(database.kysely, id);
    if (alert === undefined) return undefined;
    const { alertId, phase, kind, label, targetKind } = alert;
    return {
      about: { alert: alertId, phase, kind, target: label },
      send: async (signal) => {
        if (targetKind === 'webhook') await sendWebhook(alert, secretsKey, new Date(), signal);
        else await mailer.send(alertMail(alert), signal);
      },
    };
  };
}

/** The beginning and the end of an incident are one thread. */
function alertMail(alert: AlertMessage): Mail {
  const { subject, paragraphs } = alertText(alert);
  const { alertId, phase, address } = alert;
  const to = [address ?? ''];
  return {
    id: messageIdOf(alert),
    inReplyTo: phase === 'cleared' ? `${alertId}.raised` : undefined,
    to,
    envelope: to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    attachments: [],
  };
}

/** Identifies one message to a target, so that the target can recognise a repeated one. */
function messageIdOf({ alertId, phase }: AlertMessage): string {
  return `${alertId}.${phase}`;
}

/** Time limit for the answer of a target (ms). */
const deadline = 10_000;

/**
 * POSTs the notification to a webhook, signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature`; https://www.standardwebhooks.com). Any 2xx counts as received; redirects are not
 * followed. Throws a DeliveryError otherwise.
 */
async function sendWebhook(
  alert: AlertMessage,
  key: SecretsKey | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const { url, secret } = webhookOf(alert, key);
  const id = messageIdOf(alert);
  const body = JSON.stringify(notificationOf(alert));
  const signature = new Webhook(secret).sign(id, now, body);
  const response = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadline)]),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'visitor-counter',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signature,
    },
  }).catch((error: unknown) => {
    throw new DeliveryError(reasonOf(error), { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new DeliveryError(`it answered ${response.status}`);
}

/** The webhook of the target, decrypted. */
function webhookOf({ sealed }: AlertMessage, key: SecretsKey | undefined): StoredWebhook {
  try {
    return unsealWebhook(key, sealed ?? Buffer.of());
  } catch (cause) {
    if (!(cause instanceof SealedSecretError)) throw cause;
    throw new DeliveryError(`its webhook cannot be decrypted: ${cause.message}`, { cause });
  }
}

/** fetch reports the reason in the cause. The address, which may contain a key, is in neither. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be reached';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return `it cannot be reached (${cause.code})`;
  return error.name === 'TimeoutError' ? `it did not answer within ${deadline} ms` : 'it cannot be reached';
}

/** The JSON that a webhook receives. Instants are RFC 3339 in UTC. */
function notificationOf(alert: AlertMessage) {
  const { alertId, phase, kind, companyName, about, beganAt, raisedAt, clearedAt } = alert;
  return {
    /* The same for the beginning and the end of one incident, and for every attempt. */
    id: alertId,
    event: `alert.${phase}`,
    kind,
    company: companyName,
    /* When the condition had lasted as long as the rule says. */
    beganAt: utcText(beganAt),
    raisedAt: utcText(raisedAt),
    ...(phase === 'cleared' && clearedAt !== null && { clearedAt: utcText(clearedAt) }),
    /* The names of the store and the door (`device`), sid, serial, beam, capacity and others, depending on the kind. */
    about,
    /* The problem or its end, for people, in the language of the target. */
    text: alertText(alert).text,
  };
}
