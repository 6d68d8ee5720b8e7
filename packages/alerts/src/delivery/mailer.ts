import type { Delivery } from '@visitor-counter/database/alerts/deliveries';
import { createTransport } from 'nodemailer';
import { DeliveryError } from './delivery-error.ts';
import { messageIdOf, notificationOf } from './notification.ts';

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://`. */
  readonly smtpUrl: string;
  /** Nothing is sent to a mail server that does not offer STARTTLS. */
  readonly requireTls: boolean;
  readonly from: string;
}

export interface Mailer {
  /** Throws a DeliveryError. */
  send(delivery: Delivery): Promise<void>;
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
      throw new DeliveryError('not-configured', 'SMTP_URL is not set');
    };
    return { send, close: () => {} };
  }
  const transport = createTransport({ url: config.smtpUrl, requireTLS: config.requireTls, ...timeouts });
  const domain = config.from.split('@').at(-1)?.replace(/>.*/, '') ?? 'localhost';
  const send = async (delivery: Delivery) => {
    const { text, event, company, beganAt, clearedAt } = notificationOf(delivery);
    const first = `<${delivery.alertId}.raised@${domain}>`;
    const sent = {
      from: config.from,
      to: delivery.target.address,
      messageId: `<${messageIdOf(delivery)}@${domain}>`,
    };
    const times = clearedAt === undefined ? `Since: ${beganAt}` : `Since: ${beganAt}\nUntil: ${clearedAt}`;
    await transport
      .sendMail({
        ...sent,
        ...(event === 'alert.cleared' && { inReplyTo: first, references: first }),
        subject: `${event === 'alert.cleared' ? 'Over' : 'Alert'}: ${text}`,
        text: `${text}\n\n${times}\nCompany: ${company}\n`,
        headers: { 'auto-submitted': 'auto-generated' },
      })
      .catch((error: unknown) => {
        throw new DeliveryError('unreachable', problemOf(error), { cause: error });
      });
  };
  return { send, close: () => transport.close() };
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ETLS'
    ? 'the mail server offers no TLS for the password (use smtps://, or set SMTP_ALLOW_PLAINTEXT=true)'
    : 'the mail server refused the message';
}
