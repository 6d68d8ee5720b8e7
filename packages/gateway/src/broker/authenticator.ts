import { type DeviceIdentity, findDeviceIdentities } from '@visitor-counter/database/devices/device-login';
import { BatchedLookup } from '@visitor-counter/service/batched-lookup';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { LoginFailures } from '@visitor-counter/service/login-failures';
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import { connectionOf } from '../listener/client-connection.ts';
import { shown } from '../log/shortened.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { ConnectionLog } from './connection-log.ts';
import { type Credentials, type FindDevice, type LoginOptions, type LoginVerdict, login } from './login.ts';
import type { OneSocketPerSerial } from './one-socket-per-serial.ts';
import { mayLeaveWill } from './rights.ts';
import type { Session } from './session.ts';
import { AwayMemory } from './unavailable-pause.ts';

export interface AuthenticatorOptions extends LoginOptions {
  /** The clients that have logged in; they are removed when their connection ends. */
  readonly sessions: Map<Client, Session>;
  readonly sockets: OneSocketPerSerial;
  readonly failures: LoginFailures;
  readonly connections: ConnectionLog;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** The return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
const returnCodes = { 'server unavailable': 3, 'not authorized': 5 } as const;

/** The broker's hooks of a login. */
export function authenticator(options: AuthenticatorOptions): Pick<Aedes, 'preConnect' | 'authenticate'> {
  const { pool, sessions, sockets, connections, access, log } = options;
  const unfitWill = new WeakSet<Client>();
  const checks = {
    away: new AwayMemory(),
    devices: new BatchedLookup((serials: readonly string[]) => findDeviceIdentities(pool, serials)),
  };
  return {
    preConnect: (client, packet, done) => {
      if (!isWillFit(packet)) unfitWill.add(client);
      /* Every session is a clean one: nothing is kept for a unit that is away, and CONNACK says so. */
      packet.clean = true;
      /* The connection watches it: the broker does not see the messages by which the unit is heard of. */
      connectionOf(client)?.setKeepAlive(packet.keepalive ?? 0);
      packet.keepalive = 0;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      if (unfitWill.has(client)) {
        access.packetRefused('will');
        access.loginRefused('will');
        log.write('warn', { clientId: shown(client.id) }, 'last will refused');
        return done(refusal('not authorized'), null);
      }
      judge(options, checks, client, { clientId: client.id, username, password })
        .then((verdict) => {
          if ('accepted' in verdict) {
            const session = verdict.accepted;
            sessions.set(client, session);
            access.loggedIn();
            return sockets.enter(session, client, () => {
              connections.connected(client, session);
              done(null, true);
            });
          }
          const cause = verdict.cause instanceof Error ? verdict.cause.message : undefined;
          access.loginRefused(verdict.refused);
          log.write('info', { clientId: shown(client.id), refused: verdict.refused, cause }, 'login refused');
          return done(refusal(verdict.refused), null);
        })
        .catch((error: unknown) => log.write('error', { err: error }, 'login not handled'));
    },
  };
}

/** What logins are checked with. */
interface Checks {
  readonly away: AwayMemory;
  /** For logins from addresses that have failed too often. */
  readonly devices: BatchedLookup<string, DeviceIdentity>;
}

/** Checks a login against the certificate and the database; what wrong logins of one address cost is bounded. */
async function judge(
  options: AuthenticatorOptions,
  { away, devices }: Checks,
  client: Client,
  credentials: Credentials,
): Promise<LoginVerdict> {
  const { address = 'unknown', certified } = connectionOf(client) ?? {};
  const { clientId: who } = credentials;
  if (certified && !certified.includes(who)) return { refused: 'not authorized', cause: otherName };
  const ask = (find: FindDevice) => () => askDatabase(options, away, client, credentials, find);
  const checked = await options.failures.check({
    ...{ address, who, isRight },
    atOnce: ask(async (serial) => (await findDeviceIdentities(options.pool, [serial])).get(serial)),
    inTurn: ask((serial) => devices.find(address, serial)),
  });
  return 'tooMany' in checked ? { refused: 'server unavailable', cause: tooMany } : checked.verdict;
}

function isRight(verdict: LoginVerdict): boolean | undefined {
  if ('accepted' in verdict) return true;
  return verdict.refused === 'not authorized' ? false : undefined;
}

/** Never rejects. What the database answers counts, also when the client does not wait for it. */
async function askDatabase(
  options: AuthenticatorOptions,
  away: AwayMemory,
  client: Client,
  credentials: Credentials,
  findDevice: FindDevice,
): Promise<LoginVerdict> {
  if (client.closed) return { refused: 'server unavailable', cause: gone };
  if (away.isAway(performance.now())) return { refused: 'server unavailable', cause: wasAway };
  const verdict = await login(options, credentials, findDevice);
  if ('accepted' in verdict) away.answered();
  else if (verdict.refused === 'server unavailable') away.failed(performance.now());
  return verdict;
}

const gone = new Error('the client did not wait');
const wasAway = new Error('the database was unavailable a moment ago');
const otherName = new Error('the certificate is for another name');
const tooMany = new Error('too many failed logins from this address');

function isWillFit({ will, clientId }: ConnectPacket): boolean {
  if (!will) return true;
  const { topic, payload, qos = 0, retain = false } = will;
  /* The parser's types promise a payload; a hook that throws would end the process. */
  return mayLeaveWill(clientId, { topic, payload: Buffer.from(payload ?? ''), qos, retain });
}

function refusal(reason: keyof typeof returnCodes): AuthenticateError {
  return Object.assign(new Error(reason), { returnCode: returnCodes[reason] });
}
