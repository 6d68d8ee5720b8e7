import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Aedes, Client } from 'aedes';
import type { Receive } from '../ingest/receive.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import { judgePublish, maySubscribe } from './rights.ts';
import type { Session } from './session.ts';
import { shown } from './shown.ts';

/** A client went beyond its rights; its connection is closed. */
export class RightsViolation extends Error {
  override readonly name = 'RightsViolation';
  readonly code = 'rights-violation';
}

interface PublishGuardOptions {
  readonly sessions: ReadonlyMap<Client, Session>;
  readonly receive: Receive;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/**
 * The broker's hook before PUBACK: an error closes the connection without one. It must answer once and
 * neither throw nor reject, which would end the process.
 */
export function publishGuard(options: PublishGuardOptions): Aedes['authorizePublish'] {
  const { sessions, receive, access, log } = options;
  return (client, packet, done) => {
    const session = client ? sessions.get(client) : undefined;
    /* A last will comes without a command; what it says is known from the end of the connection. */
    if (session === undefined || packet.cmd !== 'publish') return done(new RightsViolation('no session'));
    try {
      const { topic, qos, retain } = packet;
      const payload = bytesOf(packet.payload);
      const verdict = judgePublish(session.serial, { topic, payload, qos, retain });
      if ('refused' in verdict) {
        access.packetRefused(verdict.refused);
        log.write(
          'warn',
          { serial: session.serial, topic: shown(topic), refused: verdict.refused },
          'publication refused',
        );
        return done(new RightsViolation(verdict.refused));
      }
      /* The database remembers what was said last; nobody subscribes to it. */
      packet.retain = false;
      receive(session, { channel: verdict.channel, topic, payload }, done);
    } catch (error) {
      log.write('error', { err: error, serial: session.serial }, 'a message could not be handled');
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

function bytesOf(payload: string | Buffer): Buffer {
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
}

interface SubscribeGuardOptions {
  readonly sessions: ReadonlyMap<Client, Session>;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** The broker's hook before a subscription: a refused one is answered with SUBACK 128. */
export function subscribeGuard({
  sessions,
  access,
  log,
}: SubscribeGuardOptions): Aedes['authorizeSubscribe'] {
  return (client, subscription, done) => {
    const session = sessions.get(client);
    const { topic, qos } = subscription;
    if (session && maySubscribe(session.serial, topic, qos)) return done(null, subscription);
    access.packetRefused('subscription');
    log.write('warn', { serial: session?.serial, topic: shown(topic) }, 'subscription refused');
    return done(null, null);
  };
}
