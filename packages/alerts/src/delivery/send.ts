import type { Delivery } from '@visitor-counter/database/alerts/deliveries';
import { SealedSecretError } from '@visitor-counter/database/secrets/seal';
import type { SecretsKeys } from '@visitor-counter/database/secrets/secrets-key';
import { type Webhook as StoredWebhook, unsealWebhook } from '@visitor-counter/database/secrets/webhook';
import { codeOf } from '@visitor-counter/service/errors';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { Webhook } from 'standardwebhooks';
import { alertText } from './alert-text.ts';
import { messageIdOf, notificationOf } from './notification.ts';

/** A target did not accept a message; it is sent again later. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

/** Time limit for the answer of a target (ms). */
const deadline = 10_000;

/**
 * POSTs the notification to a webhook, signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature`; https://www.standardwebhooks.com). Any 2xx counts as received; redirects are not
 * followed. Throws a DeliveryError otherwise.
 */
export async function sendWebhook(
  delivery: Delivery,
  keys: SecretsKeys | undefined,
  now: Date,
): Promise<void> {
  const { url, secret } = webhookOf(delivery, keys);
  const id = messageIdOf(delivery);
  const body = JSON.stringify(notificationOf(delivery));
  const signature = new Webhook(secret).sign(id, now, body);
  const response = await fetch(url, {
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
    throw new DeliveryError(reasonOf(error), { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new DeliveryError(`it answered ${response.status}`);
}

/** The webhook of the target, decrypted. */
function webhookOf({ target }: Delivery, keys: SecretsKeys | undefined): StoredWebhook {
  try {
    return unsealWebhook(keys, Buffer.from(target.sealed ?? '', 'base64'));
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

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://`. */
  readonly smtpUrl: string;
  /** Nothing is sent to a mail server that does not offer STARTTLS. */
  readonly requireTls: boolean;
  readonly from: string;
}

/** A mail to several recipients. */
export interface Mail {
  /** The same for every attempt, so that a recipient can recognise a repeated one. */
  readonly id: string;
  /** All recipients, as the mail names them. */
  readonly to: readonly string[];
  /** The recipients of this attempt. */
  readonly envelope: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Buffer;
  }[];
}

export interface Mailer {
  /** Throws a DeliveryError. */
  send(delivery: Delivery): Promise<void>;
  /** Sends a mail, and returns the recipients that the mail server has refused. Throws a DeliveryError if it refused all. */
  post(mail: Mail): Promise<readonly string[]>;
  close(): void;
}

/** ms */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

/**
 * Sends notifications by SMTP. The beginning and the end of an incident are one thread, and a repeated message has the
 * same Message-ID.
 */
export function createMailer(config: MailConfig | undefined): Mailer {
  if (config === undefined) {
    const send = async () => {
      throw new DeliveryError('SMTP_URL is not set');
    };
    return { send, post: send, close: () => {} };
  }
  const { from, smtpUrl, requireTls } = config;
  const transport = createTransport({ url: smtpUrl, requireTLS: requireTls, ...timeouts });
  const domain = from.split('@').at(-1)?.replace(/>.*/, '') ?? 'localhost';
  const headers = { 'auto-submitted': 'auto-generated' };
  const sendMail = async (mail: SendMailOptions) => {
    return await transport.sendMail({ ...mail, from, headers }).catch((error: unknown) => {
      throw new DeliveryError(problemOf(error), { cause: error });
    });
  };
  return {
    send: async (delivery) => {
      await sendMail(alertMail(delivery, domain));
    },
    post: async ({ id, to, envelope, attachments, ...content }) => {
      const { rejected } = await sendMail({
        ...content,
        to: [...to],
        attachments: [...attachments],
        envelope: { from, to: [...envelope] },
        messageId: `<${id}@${domain}>`,
      });
      return rejected.map(String);
    },
    close: () => transport.close(),
  };
}

/** The message as a mail with a Message-ID in a domain. */
function alertMail(delivery: Delivery, domain: string): SendMailOptions {
  const { subject, paragraphs } = alertText(delivery);
  const isOver = delivery.phase === 'cleared';
  const first = `<${delivery.alertId}.raised@${domain}>`;
  return {
    to: delivery.target.address ?? '',
    messageId: `<${messageIdOf(delivery)}@${domain}>`,
    ...(isOver && { inReplyTo: first, references: first }),
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
  };
}

function problemOf(error: unknown): string {
  const code = codeOf(error);
  return code === 'ETLS'
    ? 'the mail server offers no TLS for the password (use smtps://, or set SMTP_ALLOW_PLAINTEXT=true)'
    : 'the mail server refused the message';
}
