import type { Database } from '@visitor-counter/database/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import { login } from './login.ts';
import type { OneSocketPerSerial } from './one-socket-per-serial.ts';
import { mayLeaveWill } from './rights.ts';
import type { Session } from './session.ts';
import { shown } from './shown.ts';

export interface AuthenticatorOptions {
  readonly pool: Database['pool'];
  /** Where a client's session is found from its login on. */
  readonly sessions: WeakMap<Client, Session>;
  readonly sockets: OneSocketPerSerial;
  /** How long a client is kept waiting for an answer to its login (ms). */
  readonly loginDeadline: number;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** The return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
const returnCodes = { 'server unavailable': 3, 'not authorized': 5 } as const;

/** The broker's hooks of a login. */
export function authenticator({
  pool,
  sessions,
  sockets,
  loginDeadline,
  access,
  log,
}: AuthenticatorOptions): Pick<Aedes, 'preConnect' | 'authenticate'> {
  const unfitWill = new WeakSet<Client>();
  return {
    preConnect: (client, packet, done) => {
      if (!isWillFit(packet)) unfitWill.add(client);
      /* Every session is a clean one: nothing is kept for a unit that is away, and CONNACK says so. */
      packet.clean = true;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      if (unfitWill.has(client)) {
        access.loginRefused('will');
        return done(refusal('not authorized'), null);
      }
      login(pool, { clientId: client.id, username, password }, loginDeadline)
        .then((verdict) => {
          if ('accepted' in verdict) {
            sessions.set(client, verdict.accepted);
            access.loggedIn();
            return sockets.enter(client.id, client, () => done(null, true));
          }
          const cause = verdict.cause instanceof Error ? verdict.cause.message : undefined;
          access.loginRefused(verdict.refused);
          log.write('info', { clientId: shown(client.id), refused: verdict.refused, cause }, 'login refused');
          return done(refusal(verdict.refused), null);
        })
        .catch((error: unknown) => log.write('error', { err: error }, 'a login could not be handled'));
    },
  };
}

function isWillFit({ will, clientId }: ConnectPacket): boolean {
  if (!will) return true;
  const { topic, payload, qos = 0, retain = false } = will;
  /* The parser's types promise a payload; a hook that throws would end the process. */
  return mayLeaveWill(clientId, { topic, payload: Buffer.from(payload ?? ''), qos, retain });
}

function refusal(reason: keyof typeof returnCodes): AuthenticateError {
  return Object.assign(new Error(reason), { returnCode: returnCodes[reason] });
}
