import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { incidents } from './incidents.ts';

/** One message that a target received. */
export interface ReceivedMessage {
  /** Epoch ms. */
  readonly at: number;
  readonly by: 'webhook' | 'mail';
  readonly company: string;
  readonly event: 'raised' | 'cleared';
  /** The id of the alert. */
  readonly alert: string;
}

export interface Sinks {
  readonly received: readonly ReceivedMessage[];
  /** Messages with a wrong signature, and messages without the expected content. */
  readonly refused: readonly string[];
  readonly webhookUrl: string;
  readonly smtpUrl: string;
  close(): Promise<void>;
}

/** A webhook that checks signatures, and a mail server; both record the messages that they receive. */
export async function startSinks(secret: string): Promise<Sinks> {
  const received: ReceivedMessage[] = [];
  const refused: string[] = [];
  const take = (
    by: ReceivedMessage['by'],
    parts: Omit<ReceivedMessage, 'at' | 'by'> | undefined,
    said: string,
  ) => {
    if (parts === undefined) refused.push(said);
    else received.push({ at: Date.now(), by, ...parts });
  };
  const hook = createServer(async (request, response) => {
    /* A sender that is killed breaks off its request. */
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    take('webhook', signedBy(secret, body, request.headers), body);
    response.end();
  });
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => {
      text(stream).then((message) => {
        take('mail', inMail(message), message);
        done();
      }, done);
    },
  });
  /* A sender that is killed resets its connection. */
  mail.on('error', () => {});
  const hookPort = await listen(hook);
  const mailPort = await listen(mail.server);
  return {
    received,
    refused,
    webhookUrl: `http://127.0.0.1:${hookPort}/alerts`,
    smtpUrl: `smtp://127.0.0.1:${mailPort}`,
    close: async () => {
      hook.close();
      hook.closeAllConnections();
      await new Promise<void>((resolve) => mail.close(() => resolve()));
    },
  };
}

interface Listening {
  listen(port: number, host: string, done: () => void): unknown;
  address(): AddressInfo | string | null;
}

async function listen(server: Listening): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function signedBy(
  secret: string,
  body: string,
  headers: Readonly<Record<string, unknown>>,
): Omit<ReceivedMessage, 'at' | 'by'> | undefined {
  try {
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const { company, event, id } = Object(new Webhook(secret).verify(body, signed));
    return { company, event: event === 'alert.raised' ? 'raised' : 'cleared', alert: id };
  } catch {
    return undefined;
  }
}

/** A mail about an alert has the company on a separate line. */
const companies = Object.keys(incidents);

function inMail(message: string): Omit<ReceivedMessage, 'at' | 'by'> | undefined {
  const [, alert, event] = /^Message-ID: <([0-9a-f-]{36})\.(raised|cleared)@/im.exec(message) ?? [];
  const company = companies.find((name) => message.split(/\r?\n/).includes(name));
  if (alert === undefined || event === undefined || company === undefined) return undefined;
  return { company, alert, event: event === 'raised' ? 'raised' : 'cleared' };
}
