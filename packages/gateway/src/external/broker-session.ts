import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Certificates } from '@visitor-counter/service/certificates';
import { reasonOf } from '@visitor-counter/service/errors';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import mqtt, { type IPublishPacket, type MqttClient } from 'mqtt';
import type { ExternalConfig } from './external-config.ts';

/** A message from the broker, until it is acknowledged or its connection has ended. */
export interface Delivered {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Sent because of a new subscription, not because it was just published. */
  readonly retained: boolean;
  /** Aborted when the connection has ended: the broker will deliver the message again. */
  readonly ended: AbortSignal;
}

export interface BrokerSessionOptions {
  readonly config: ExternalConfig;
  readonly clientId: string;
  /** How long the broker keeps what it queues (s); 0 starts a new session with every connection. */
  readonly sessionExpiry: number;
  readonly filters: readonly string[];
  /** Filters that the broker may refuse: its operator may not have granted them yet. */
  readonly optional?: readonly string[];
  /** Handles one message; it is acknowledged when the promise resolves, and never when it rejects. */
  readonly onMessage: (message: Delivered) => Promise<void>;
  readonly log: BoundedLog;
}

interface BrokerSessionEvents {
  /** The broker has accepted the connection. */
  readonly onAccepted: () => void;
  /** All subscriptions are granted. */
  readonly onSubscribed: (client: MqttClient) => void;
}

/** Why a connection has ended, and whether the broker or the network ended it. */
export interface SessionEnd {
  readonly reason: string;
  readonly byBroker: boolean;
}

/** Seconds. */
const keepAlive = 30;

/**
 * Connects to the broker and handles its messages until the connection ends, or `stop` is aborted.
 *
 * The client delivers the next message only when the previous one is handled, and the broker of shared subscriptions sends
 * no more than one (receive maximum): each connection has at most one message, acknowledged explicitly.
 */
export async function runSession(
  options: BrokerSessionOptions,
  files: Partial<Certificates>,
  { onAccepted, onSubscribed }: BrokerSessionEvents,
  stop: AbortSignal,
): Promise<SessionEnd> {
  const over = new AbortController();
  const client = mqtt.connect(options.config.url, { ...clientOptions(options), ...files });
  const { promise: ended, resolve: end } = Promise.withResolvers<SessionEnd>();
  const endedByBroker = (reason: string) => end({ reason, byBroker: true });
  const giveUp = (reason: string) => end({ reason, byBroker: false });
  client.on('error', (error) => endedByBroker(error.message || String(error)));
  client.on('disconnect', ({ reasonCode }) => endedByBroker(disconnectReason(reasonCode)));
  client.on('close', () => endedByBroker('the connection was closed'));
  const onStop = () => giveUp('stopped');
  stop.addEventListener('abort', onStop, { once: true });
  client.handleMessage = (packet, done) => {
    handle(options, client, packet, over.signal, done).catch(() => giveUp('message not handled'));
  };
  client.once('connect', () => {
    onAccepted();
    subscribeAll(options, client).then(
      () => onSubscribed(client),
      (error: unknown) => giveUp(reasonOf(error)),
    );
  });
  const result = await ended;
  over.abort();
  stop.removeEventListener('abort', onStop);
  client.end(true);
  return result;
}

function clientOptions({ config, clientId, sessionExpiry }: BrokerSessionOptions): mqtt.IClientOptions {
  const { username, password, subscriptions } = config;
  return {
    ...(subscriptions === 'shared'
      ? { protocolVersion: 5, properties: propertiesOf(sessionExpiry) }
      : { protocolVersion: 4 }),
    clientId,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    clean: sessionExpiry === 0,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    keepalive: keepAlive,
    connectTimeout: 10_000,
  };
}

function propertiesOf(sessionExpiryInterval: number) {
  return { sessionExpiryInterval, receiveMaximum: 1, maximumPacketSize: maxPacketBytes };
}

async function subscribeAll(
  { clientId, filters, optional = [], log }: BrokerSessionOptions,
  client: MqttClient,
): Promise<void> {
  await subscribe(client, filters);
  await subscribe(client, optional).catch((error: unknown) => {
    if (!client.connected) throw error;
    log.write('warn', { clientId, reason: reasonOf(error) }, 'optional subscription refused by the broker');
  });
}

async function subscribe(client: MqttClient, filters: readonly string[]): Promise<void> {
  if (filters.length === 0) return;
  const grants = await client.subscribeAsync([...filters], { qos: 1 });
  const refused = grants.find(({ qos }) => qos > 2);
  if (refused) throw new Error(`the broker refuses the subscription ${refused.topic} (${refused.qos})`);
}

async function handle(
  { onMessage, log }: BrokerSessionOptions,
  client: MqttClient,
  { topic, payload, retain }: IPublishPacket,
  ended: AbortSignal,
  done: () => void,
): Promise<void> {
  /* Until a message is handled the client does not read the broker's answers to its own pings. */
  const pinging = setInterval(
    () => {
      client.sendPing();
      client.reschedulePing(true);
    },
    (keepAlive / 2) * 1_000,
  );
  try {
    await onMessage({ topic, payload: Buffer.from(payload), retained: retain, ended });
    if (!ended.aborted) done();
  } catch (error) {
    if (!ended.aborted) log.write('error', { err: error }, 'message not handled');
    throw error;
  } finally {
    clearInterval(pinging);
  }
}

/** Session taken over (MQTT 5, section 3.14.2.1): another client has connected with the same client id. */
const takenOver = 0x8e;
export const takenOverReason = 'another gateway has the same client id: give each its own MQTT_CLIENT_ID';

function disconnectReason(code: number | undefined): string {
  if (code === takenOver) return takenOverReason;
  return `the broker has ended the connection (${code ?? 0})`;
}
