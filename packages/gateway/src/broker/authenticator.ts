import { shortened } from '@visitor-counter/service/bounded-log';
import { loginFailures } from '@visitor-counter/service/budgets';
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import type { GatewayParts } from '../gateway-parts.ts';
import { connectionOf } from '../listener/client-connection.ts';
import { mayLeaveWill } from './device-messages.ts';
import { type Credentials, type LoginVerdict, login } from './login.ts';
import type { RefusedLogins } from './refused-logins.ts';
import type { Sessions } from './sessions.ts';

/** The return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
const returnCodes = { 'server unavailable': 3, 'not authorized': 5 } as const;

/** The broker's hooks for logins. */
export function authenticator(
  parts: GatewayParts,
  sessions: Sessions,
  refusedLogins: RefusedLogins,
): Pick<Aedes, 'preConnect' | 'authenticate'> {
  const { log } = parts;
  const { access } = parts.instruments;
  const refusedWill = new WeakSet<Client>();
  const check = loginCheck(parts);
  return {
    preConnect: (client, packet, done) => {
      if (!isWillAllowed(packet)) refusedWill.add(client);
      /* Every session is a clean one: nothing is queued for a unit that is offline, and CONNACK says so. */
      packet.clean = true;
      /* The connection checks the keep-alive: the broker does not see the PUBLISH packets of the unit. */
      connectionOf(client)?.setKeepAlive(packet.keepalive ?? 0);
      packet.keepalive = 0;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      if (refusedWill.has(client)) {
        access.packetRefused('will');
        access.loginRefused('will');
        log.write('warn', { clientId: shortened(client.id) }, 'last will refused');
        return done(refusal('not authorized'), null);
      }
      check(client, { clientId: client.id, username, password })
        .then((verdict) => {
          if ('accepted' in verdict) {
            access.loggedIn();
            refusedLogins.accepted(verdict.accepted.serial);
            return sessions.enter(verdict.accepted, client, () => done(null, true));
          }
          const { refused, cause } = verdict;
          if ('reason' in verdict && verdict.reason) refusedLogins.refused(client.id, verdict.reason);
          const reason = cause instanceof Error ? cause.message : undefined;
          access.loginRefused(refused);
          log.write('info', { clientId: shortened(client.id), refused, cause: reason }, 'login refused');
          return done(refusal(refused), null);
        })
        .catch((error: unknown) => log.write('error', { err: error }, 'login not handled'));
    },
  };
}

/** Checks logins against the database, and limits the answers to failed logins from one address. */
function loginCheck(parts: GatewayParts) {
  const failures = loginFailures(parts.limits.failuresPerMinute, () => performance.now());
  /** On the monotonic clock (ms). */
  let outageUntil = 0;
  return async (client: Client, credentials: Credentials): Promise<LoginVerdict> => {
    if (client.closed) return { refused: 'server unavailable', cause: clientClosed };
    if (performance.now() < outageUntil) return { refused: 'server unavailable', cause: recentOutage };
    const verdict = await login(parts, credentials);
    if ('accepted' in verdict) outageUntil = 0;
    else if (verdict.refused === 'server unavailable') outageUntil = performance.now() + outagePause;
    else if (!failures.count(connectionOf(client)?.address ?? 'unknown'))
      return { refused: 'server unavailable', cause: tooMany };
    return verdict;
  };
}

/**
 * How long after a failure logins are refused without a lookup (ms): shorter than any unit's pause. Otherwise thousands
 * of units that reconnect would each open a connection to a database that is just starting again.
 */
const outagePause = 250;

const clientClosed = new Error('the client has closed the connection');
const recentOutage = new Error('the database was unavailable a moment ago');
const tooMany = new Error('too many failed logins from this address');

function isWillAllowed({ will, clientId }: ConnectPacket): boolean {
  if (!will) return true;
  const { topic, payload, qos = 0, retain = false } = will;
  /* Despite the parser's types the payload may be missing; a hook that throws would end the process. */
  return mayLeaveWill(clientId, { topic, payload: Buffer.from(payload ?? ''), qos, retain });
}

function refusal(reason: keyof typeof returnCodes): AuthenticateError {
  return Object.assign(new Error(reason), { returnCode: returnCodes[reason] });
}
