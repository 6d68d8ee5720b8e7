import { codeOf } from '@visitor-counter/service/errors';
import { createTransport } from 'nodemailer';

/** A target did not accept a message; it is sent again later. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
}

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://`. */
  readonly smtpUrl: string;
  /** Nothing is sent to a mail server that does not offer STARTTLS. */
  readonly requireTls: boolean;
  readonly from: string;
}

export interface Mail {
  /** The same for every attempt, so that a recipient can recognise a repeated one. */
  readonly id: string;
  /** The id of an earlier mail, with which this one is a thread. */
  readonly inReplyTo?: string | undefined;
  /** All recipients, as the mail names them. */
  readonly to: readonly string[];
  /** The recipients of this attempt. */
  readonly envelope: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Buffer;
  }[];
}

export interface Mailer {
  /** Sends a mail, and returns the recipients that the mail server has refused. Throws a DeliveryError if it refused all. */
  send(mail: Mail): Promise<readonly string[]>;
  close(): void;
}

/** ms */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

/** Sends mails by SMTP. */
export function createMailer(config: MailConfig | undefined): Mailer {
  if (config === undefined) {
    const send = async () => {
      throw new DeliveryError('SMTP_URL is not set');
    };
    return { send, close: () => {} };
  }
  const { from, smtpUrl, requireTls } = config;
  const transport = createTransport({ url: smtpUrl, requireTLS: requireTls, ...timeouts });
  const domain = from.split('@').at(-1)?.replace(/>.*/, '') ?? 'localhost';
  return {
    send: async ({ id, inReplyTo, to, envelope, attachments, ...content }) => {
      const earlier = inReplyTo && `<${inReplyTo}@${domain}>`;
      const mail = {
        ...content,
        from,
        to: [...to],
        attachments: [...attachments],
        envelope: { from, to: [...envelope] },
        headers: { 'auto-submitted': 'auto-generated' },
        messageId: `<${id}@${domain}>`,
        ...(earlier && { inReplyTo: earlier, references: earlier }),
      };
      const { rejected } = await transport.sendMail(mail).catch((cause: unknown) => {
        throw new DeliveryError(problemOf(cause), { cause });
      });
      return rejected.map(String);
    },
    close: () => transport.close(),
  };
}

function problemOf(error: unknown): string {
  const code = codeOf(error);
  return code === 'ETLS'
    ? 'the mail server offers no TLS for the password (use smtps://, or set SMTP_ALLOW_PLAINTEXT=true)'
    : 'the mail server refused the message';
}
