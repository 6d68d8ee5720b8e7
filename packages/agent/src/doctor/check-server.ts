import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { reasonOf } from '@visitor-counter/service/errors';
import type { Finding } from '@visitor-counter/wire/diagnosis-message';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { DoorView } from '../local/door-view.ts';
import { ConnectionLost, connect, NotAuthorized } from '../uplink/connect.ts';
import { addressOf } from '../uplink/server-socket.ts';
import { type Account, defaultUplinkSettings } from '../uplink/uplink-settings.ts';
import { fail, ok, warn } from './finding.ts';

/** How long a step may take (ms). */
const timeout = 10_000;

/**
 * Checks the connection to the server step by step, up to the first step that fails. If an agent runs, the state of its
 * connection replaces login and round trip, since a second connection with the same name would end it. `silent`: an agent
 * runs and does not answer.
 */
export async function checkServer(
  account: Account,
  running: DoorView | 'silent' | undefined,
): Promise<Finding[]> {
  const { host, port } = addressOf(account.server);
  const reached = [await checkName(host)];
  if (reached.at(-1)?.verdict === 'ok') reached.push(await checkPort(host, port));
  if (reached.at(-1)?.verdict !== 'ok') return reached;
  if (running === 'silent') return [...reached, silent];
  return [...reached, ...(running?.delivery ? checkRunning(running.delivery) : await checkLogin(account))];
}

const silent = fail(
  'login',
  'an agent has the journal open and does not answer; a login of the doctor would end its connection',
  'wait until it has started, or restart it: `sudo systemctl restart counter-agent`',
);

async function checkName(host: string): Promise<Finding> {
  try {
    return ok('server name', `${host} is ${(await lookup(host)).address}`);
  } catch (error) {
    return fail(
      'server name',
      `${host}: ${reasonOf(error)}`,
      'check `server` in the file, and the network’s DNS',
    );
  }
}

async function checkPort(host: string, port: number): Promise<Finding> {
  const socket = connectSocket({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeout) });
    return ok('server port', `${host}:${port} answers`);
  } catch (error) {
    const advice = `let the unit reach TCP port ${port} of the server; is the gateway running?`;
    return fail('server port', `${host}:${port}: ${reasonOf(error)}`, advice);
  } finally {
    socket.destroy();
  }
}

async function checkLogin(account: Account): Promise<Finding[]> {
  const secure = account.server.startsWith('mqtts:');
  const settings = { ...defaultUplinkSettings, connectWithin: timeout };
  const tls = secure ? [ok('TLS', 'the certificate is valid for this name')] : [];
  try {
    const client = await connect(account, settings, AbortSignal.timeout(timeout), { hasLastWill: false });
    return [...tls, ok('login', account.serial), await checkRoundTrip(client, account.serial)];
  } catch (error) {
    if (error instanceof NotAuthorized) {
      return [...tls, fail('login', error.message, 'check `serial` and `secret`, or enrol the unit again')];
    }
    const advice = secure
      ? 'check the server’s certificate, `ca` in the file, and the unit’s clock'
      : 'see the log of the gateway';
    return [fail(secure ? 'TLS' : 'login', reasonOf(error), advice)];
  }
}

/**
 * Checks the round trip with a subscription to the unit's own topic. This changes no state of the unit at the
 * server: only the agent reports that. Always ends the connection.
 */
async function checkRoundTrip(client: MqttClient, serial: string): Promise<Finding> {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  client.once('error', reject);
  client.once('close', () => reject(new ConnectionLost('the server closed the connection')));
  const late = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout);
  try {
    const began = performance.now();
    await Promise.race([lost, client.subscribeAsync(topic(serial, 'time'), { qos: 1 })]);
    return ok('round trip', `the server answers within ${Math.round(performance.now() - began)} ms`);
  } catch (error) {
    if (error instanceof Error && 'packet' in error) {
      const advice = `let the unit subscribe to ${topic(serial, 'time')}`;
      return warn('round trip', 'the server answers, and refuses its time to the unit', advice);
    }
    return fail('round trip', reasonOf(error), 'see the log of the gateway');
  } finally {
    clearTimeout(late);
    await Promise.race([lost, client.endAsync()]).catch(() => client.end(true));
  }
}

function checkRunning({
  connected,
  failure,
  acknowledged,
  recorded,
  held = 0,
}: NonNullable<DoorView['delivery']>): Finding[] {
  if (connected) {
    const pending = recorded - acknowledged + held;
    return [ok('login', `the running agent is connected; ${acknowledged} delivered, ${pending} pending`)];
  }
  return [fail('login', `the running agent: ${failure ?? 'not connected yet'}`, 'see the message')];
}
