import { type BoundedLog, shortened } from '@visitor-counter/service/bounded-log';
import type { Receiver } from '../ingest/receive.ts';
import type { HandlePublish } from '../listener/client-connection.ts';
import { ClientError } from '../listener/client-error.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Session } from './login.ts';
import { publishAuthorizer } from './rights.ts';

interface PublishHandlerOptions {
  readonly receiver: Receiver;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** Stores the messages that a device may publish. A message that it may not publish ends its connection. */
export function publishHandler(
  session: Session,
  { receiver, access, log }: PublishHandlerOptions,
): HandlePublish {
  const { serial } = session;
  const authorize = publishAuthorizer(serial);
  return (publish) => {
    const decision = authorize(publish);
    if ('refused' in decision) {
      const { refused } = decision;
      access.packetRefused(refused);
      log.write('warn', { serial, topic: shortened(publish.topic), refused }, 'publish refused');
      return Promise.reject(new ClientError('rights-violation', refused));
    }
    try {
      /* The topic of the decision is one string for all pending messages; each packet has a copy of its own. */
      const { channel, topic } = decision;
      return receiver.receive(session, { channel, topic, payload: publish.payload });
    } catch (error) {
      log.write('error', { err: error, serial }, 'message not handled');
      return Promise.reject(error);
    }
  };
}
