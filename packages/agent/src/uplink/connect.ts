import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { type GatewayChannel, gatewayChannels, topic } from '@visitor-counter/wire/topics';
import type { IClientOptions, MqttClient } from 'mqtt';
import mqttClient from 'mqtt/lib/client';
import { datelessSocketTo, isDateError, type OpenSocket, socketTo } from './server-socket.ts';
import type { Account, UplinkSettings } from './uplink-settings.ts';

/** The server does not know this serial and secret. They may be enrolled later, so connecting is retried. */
export class NotAuthorized extends Error {
  override readonly name = 'NotAuthorized';
  readonly code = 'not-authorized';

  constructor(serial: string, cause: unknown) {
    super(`the server does not accept serial ${serial} with this secret`, { cause });
  }
}

/** A connection could not be opened, or has ended. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'connection-lost';
}

/**
 * Opens one connection and resolves when the server has accepted it; rejects with NotAuthorized or ConnectionLost, and
 * leaves nothing open. The client never reconnects, never queues and has no session: everything pending is in the journal.
 * If the connection ends, its last will reports the unit offline. Only the agent has a last will: other programs of the unit
 * connect without one (`hasLastWill`), since their end does not mean that the agent has ended.
 *
 * If the clock is not set, the dates of certificates are checked with the server's time, after the login.
 */
export async function connect(
  account: Account,
  settings: UplinkSettings,
  signal: AbortSignal,
  { hasLastWill = true } = {},
): Promise<MqttClient> {
  const { server, ca, serial, isClockSet } = account;
  const payload = Buffer.from('offline');
  const will = hasLastWill
    ? { will: { topic: topic(serial, 'status'), payload, qos: 1 as const, retain: true } }
    : {};
  try {
    return await login(await socketTo(server, ca), account, settings, signal, will);
  } catch (error) {
    if (!isDateError(error) || isClockSet === undefined || isClockSet()) throw error;
    const within = AbortSignal.any([signal, AbortSignal.timeout(settings.connectWithin)]);
    const socket = await datelessSocketTo(server, ca, within).catch((cause: unknown) => {
      throw connectError(serial, cause);
    });
    return login(socket, account, settings, signal, will);
  }
}

async function login(
  socket: OpenSocket,
  { serial, secret }: Account,
  { keepAlive, connectWithin }: UplinkSettings,
  signal: AbortSignal,
  will: Pick<IClientOptions, 'will'>,
): Promise<MqttClient> {
  const client = new mqttClient.default(socket, {
    protocolVersion: 4,
    clientId: serial,
    username: serial,
    password: secret,
    clean: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    keepalive: keepAlive,
    connectTimeout: connectWithin,
    /* The cache is a table of 65,536 buffers, 7 MB, for the numbers in packets. */
    writeCache: false,
    ...will,
  });
  /* An error after all other listeners are removed must not end the process. */
  client.on('error', () => {});
  try {
    await accepted(client, serial, signal);
    return client;
  } catch (error) {
    client.end(true);
    throw error;
  }
}

function accepted(client: MqttClient, serial: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onError = (cause: unknown) => reject(connectError(serial, cause));
  const onClose = () => onError(undefined);
  const onAbort = () => onError(signal.reason);
  client.once('connect', () => resolve());
  client.once('error', onError);
  client.once('close', onClose);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    client.off('error', onError);
    client.off('close', onClose);
    signal.removeEventListener('abort', onAbort);
  });
}

function connectError(serial: string, cause: unknown): Error {
  /* MQTT 3.1.1, CONNACK return codes: bad user name or password; not authorized. */
  if ([4, 5].includes(Number(codeOf(cause)))) return new NotAuthorized(serial, cause);
  const reason = cause === undefined ? 'closed before it was accepted' : reasonOf(cause);
  return new ConnectionLost(`no connection to the server: ${reason}`, { cause });
}

/** The handlers of messages from the gateway, by channel. */
export type GatewayHandlers = Partial<Record<GatewayChannel, (payload: Uint8Array) => void>>;

/** Subscribes to the channels with handlers; resolves when the broker has answered, even if it refuses some of them. */
export function subscribe(client: MqttClient, serial: string, handlers: GatewayHandlers): Promise<void> {
  const byTopic = new Map<string, (payload: Uint8Array) => void>();
  for (const channel of gatewayChannels) {
    const handle = handlers[channel];
    if (handle) byTopic.set(topic(serial, channel), handle);
  }
  client.on('message', (from, payload) => byTopic.get(from)?.(payload));
  return new Promise((resolve, reject) => {
    client.subscribe([...byTopic.keys()], { qos: 1 }, (error, _grants, suback) => {
      if (suback) resolve();
      else reject(error);
    });
  });
}
