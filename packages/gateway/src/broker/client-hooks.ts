import { type BoundedLog, shortened } from '@visitor-counter/service/bounded-log';
import type { Aedes } from 'aedes';
import type { IngestResult } from '../ingest/fair-queue.ts';
import type { Receiver } from '../ingest/receive.ts';
import type { HandlePublish } from '../listener/client-connection.ts';
import { ClientError } from '../listener/client-error.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Session } from './login.ts';
import { maySubscribe, publishJudge } from './rights.ts';
import type { Sessions } from './sessions.ts';

interface HookOptions {
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** Stores the messages that a device may publish. A message that it may not publish ends its connection. */
export function publishHandler(
  session: Session,
  { receiver, access, log }: HookOptions & { readonly receiver: Receiver },
): HandlePublish {
  const { serial } = session;
  const judge = publishJudge(serial);
  return (publish) => {
    const verdict = judge(publish);
    if ('refused' in verdict) {
      const { refused } = verdict;
      access.packetRefused(refused);
      log.write('warn', { serial, topic: shortened(publish.topic), refused }, 'publish refused');
      return Promise.reject(new ClientError('rights-violation', refused));
    }
    try {
      /* The verdict's topic is one string for all pending messages; each packet has a copy of its own. */
      const { channel, topic } = verdict;
      return requireStored(receiver.receive(session, { channel, topic, payload: publish.payload }));
    } catch (error) {
      log.write('error', { err: error, serial }, 'message not handled');
      return Promise.reject(error);
    }
  };
}

async function requireStored(storing: Promise<IngestResult>): Promise<void> {
  const result = await storing;
  if (result !== 'stored') throw new ClientError('not-stored', `not stored: ${result}`);
}

/** The broker's hook before a subscription: a refused one is answered with SUBACK 128. */
export function authorizeSubscribe({
  sessions,
  access,
  log,
}: HookOptions & { readonly sessions: Sessions }): Aedes['authorizeSubscribe'] {
  return (client, subscription, done) => {
    const session = sessions.of(client);
    const { topic, qos } = subscription;
    if (session && maySubscribe(session.serial, topic, qos)) return done(null, subscription);
    access.packetRefused('subscription');
    log.write('warn', { serial: session?.serial, topic: shortened(topic) }, 'subscription refused');
    return done(null, null);
  };
}
