import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Aedes, Client } from 'aedes';
import { shown } from '../log/shortened.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import { maySubscribe } from './rights.ts';
import type { Session } from './session.ts';

export interface SubscribeGuardOptions {
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
