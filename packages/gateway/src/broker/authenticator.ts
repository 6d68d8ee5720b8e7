import type { Database } from '@visitor-counter/database/connect';
import type { Logger } from '@visitor-counter/service/logger';
import type { Aedes, AuthenticateError, Client } from 'aedes';
import { login } from './login.ts';
import type { OneSocketPerSerial } from './one-socket-per-serial.ts';
import { mayLeaveWill } from './rights.ts';
import type { Session } from './session.ts';

export interface AuthenticatorOptions {
  readonly pool: Database['pool'];
  /** Where a client's session is found from its login on. */
  readonly sessions: WeakMap<Client, Session>;
  readonly sockets: OneSocketPerSerial;
  readonly log: Logger;
}

/** The return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
const returnCodes = { 'server unavailable': 3, 'not authorized': 5 } as const;

/** The broker's hooks of a login. */
export function authenticator({
  pool,
  sessions,
  sockets,
  log,
}: AuthenticatorOptions): Pick<Aedes, 'preConnect' | 'authenticate'> {
  const unfitWill = new WeakSet<Client>();
  return {
    preConnect: (client, packet, done) => {
      const { will, clientId } = packet;
      if (will) {
        const { topic, payload, qos = 0, retain = false } = will;
        if (!mayLeaveWill(clientId, { topic, payload: Buffer.from(payload), qos, retain })) {
          unfitWill.add(client);
        }
      }
      /* Every session is a clean one: nothing is kept for a unit that is away, and CONNACK says so. */
      packet.clean = true;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      if (unfitWill.has(client)) return done(refusal('not authorized'), null);
      void login(pool, { clientId: client.id, username, password }).then((verdict) => {
        if ('accepted' in verdict) {
          sessions.set(client, verdict.accepted);
          return sockets.enter(client.id, client, () => done(null, true));
        }
        log.info({ serial: client.id, reason: verdict.refused, err: verdict.cause }, 'login refused');
        return done(refusal(verdict.refused), null);
      });
    },
  };
}

function refusal(reason: keyof typeof returnCodes): AuthenticateError {
  return Object.assign(new Error(reason), { returnCode: returnCodes[reason] });
}
