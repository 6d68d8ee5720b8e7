import { codeOf } from '@visitor-counter/service/errors';
import { createTransport } from 'nodemailer';

/** A target did not accept a message. It is sent again later, unless the error is final. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** No later attempt can succeed. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = isFinal;
  }
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
  /**
   * Sends a mail, and returns the recipients that the mail server has refused. Throws a DeliveryError if it refused all, or if
   * the signal aborted.
   */
  send(mail: Mail, signal: AbortSignal): Promise<readonly string[]>;
  close(): void;
}

/** ms. A mail server that does not close its side of a connection delays the end of this process by `socketCloseTimeout`. */
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 15_000,
  socketCloseTimeout: 1_000,
};

/** Sends mails by SMTP, each within `timeLimit` (ms): the other timeouts begin again with every byte of the mail server. */
export function createMailer(config: MailConfig | undefined, timeLimit = 60_000): Mailer {
  if (config === undefined) {
    const send = async () => {
      throw new DeliveryError('SMTP_URL is not set');
    };
    return { send, close: () => {} };
  }
  const { from, smtpUrl, requireTls } = config;
  const url = new URL(smtpUrl);
  /* In the URL, because there it also replaces what the URL says; it wins over other parameters such as ignoreTLS. */
  if (requireTls) url.searchParams.set('requireTLS', 'true');
  const transport = createTransport({ url: url.href, ...timeouts });
  const domain = from.split('@').at(-1)?.replace(/>.*/, '') ?? 'localhost';
  return {
    send: async ({ id, inReplyTo, to, envelope, attachments, ...content }, signal) => {
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
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeLimit)]),
      };
      const { rejected } = await transport.sendMail(mail).catch((cause: unknown) => {
        throw new DeliveryError(problemOf(cause, timeLimit), { cause });
      });
      return rejected.map(String);
    },
    close: () => transport.close(),
  };
}

/** The codes of nodemailer for a connection that failed; the reason is in `originalCode`. */
const connectionErrors: readonly unknown[] = ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ETLS'];

/** The problem in our own words: an answer of the mail server can contain any text. */
function problemOf(error: unknown, timeLimit: number): string {
  const code = codeOf(error);
  if (code === 'EABORT') return `the mail server did not accept the mail within ${timeLimit} ms`;
  const { responseCode, originalCode = code }: { responseCode?: unknown; originalCode?: unknown } =
    Object(error);
  if (responseCode === undefined) {
    return connectionErrors.includes(code)
      ? `the connection to the mail server failed (${originalCode})`
      : `the mail cannot be sent (${code})`;
  }
  if (code === 'ETLS')
    return 'the mail server offers no TLS for the password (use smtps://, or set SMTP_ALLOW_PLAINTEXT=true)';
  if (code === 'EAUTH')
    return `the mail server refused the user name or password of SMTP_URL (${responseCode})`;
  return `the mail server refused the message (${responseCode})`;
}
