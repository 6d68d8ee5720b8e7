import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import type { Finding } from '@visitor-counter/wire/diagnosis-message';
import type { DoorView } from '../local/door-view.ts';
import { connect, NotAuthorized } from '../uplink/connect.ts';
import { addressOf } from '../uplink/server-socket.ts';
import { type Account, defaultUplinkSettings } from '../uplink/uplink-settings.ts';
import { fail, ok } from './finding.ts';

/** How long a step may take (ms). */
const timeout = 10_000;

/**
 * Checks the connection to the server step by step, up to the first step that fails. If an agent runs, the state of its
 * connection replaces the login, since a second connection with the same name would end it. `silent`: an agent runs and does
 * not answer.
 */
export async function checkServer(
  account: Account,
  running: DoorView | 'silent' | undefined,
): Promise<Finding[]> {
  const { host, port } = addressOf(account.server);
  const reached = await checkPort(host, port);
  if (reached.some(({ verdict }) => verdict === 'fail')) return reached;
  if (running === 'silent') return [...reached, silent];
  return [...reached, ...(running ? [checkRunning(running)] : await checkLogin(account))];
}

const silent = fail(
  'login',
  'an agent has the journal open and does not answer; a login of the doctor would end its connection',
  'wait until it has started, or restart it: `sudo systemctl restart counter-agent`',
);

async function checkPort(host: string, port: number): Promise<Finding[]> {
  const socket = connectSocket({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeout) });
    const name = ok('server name', `${host} is ${socket.remoteAddress}`);
    return [name, ok('server port', `${host}:${port} answers`)];
  } catch (error) {
    const reason = reasonOf(error);
    if (['ENOTFOUND', 'EAI_AGAIN'].includes(String(codeOf(error)))) {
      const advice = 'check `server` in the file, and the network’s DNS';
      return [fail('server name', `${host}: ${reason}`, advice)];
    }
    const advice = `let the unit reach TCP port ${port} of the server; is the gateway running?`;
    return [fail('server port', `${host}:${port}: ${reason}`, advice)];
  } finally {
    socket.destroy();
  }
}

/** Logs in, which changes no state of the unit at the server: only the agent reports that. */
async function checkLogin(account: Account): Promise<Finding[]> {
  const secure = account.server.startsWith('mqtts:');
  const settings = { ...defaultUplinkSettings, connectWithin: timeout };
  const tls = secure ? [ok('TLS', 'the certificate is valid for this name')] : [];
  try {
    const began = performance.now();
    const client = await connect(account, settings, AbortSignal.timeout(timeout), { hasLastWill: false });
    client.on('error', () => {});
    await client.endAsync().catch(() => client.end(true));
    return [...tls, ok('login', `${account.serial}, within ${Math.round(performance.now() - began)} ms`)];
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

function checkRunning({ delivery: { connected, failure, acknowledged, pending } }: DoorView): Finding {
  if (connected)
    return ok('login', `the running agent is connected; ${acknowledged} delivered, ${pending} pending`);
  return fail('login', `the running agent: ${failure ?? 'not connected yet'}`, 'see the message');
}
