import { topic } from '@visitor-counter/wire/topics';
import mqtt, { type MqttClient } from 'mqtt';
import type { KnownDevice } from '../fuzz/well-formed.ts';
import { type ExtremeMessage, ExtremeMessages } from './extreme-messages.ts';
import { honest, hostile } from './world.ts';

/** The actions of readers after messages. */
export interface Reactions {
  /** Called after each message; the next one waits for it. */
  readonly onMessage: (sent: number) => Promise<void>;
  /** Called after a message that listeners must see. */
  readonly onLasting: () => Promise<void>;
}

/** The number of messages. */
export interface Extent {
  /** How many of the bounds of fields are sent, spread over all of them; every one when left out. */
  readonly bounds?: number;
  /** How many further messages are drawn. */
  readonly messages: number;
}

/** Sends bounds of fields, then random messages, then lasting ones; returns their number. */
export async function sendExtremes(
  port: number,
  { bounds, messages }: Extent,
  seed: number,
  { onMessage, onLasting }: Reactions,
): Promise<number> {
  const extremes = new ExtremeMessages(seed, Date.now);
  const all = function* (): Generator<ExtremeMessage> {
    yield* spread([...extremes.everyField()], bounds);
    for (let index = 0; index < messages; index += 1) yield extremes.next();
  };
  let sent = 0;
  let client = await logIn(port, hostile);
  for (const { channel, payload } of all()) {
    if (!client.connected) client = await logIn(port, hostile);
    await published(client, topic(hostile.serial, channel), payload);
    sent += 1;
    await onMessage(sent);
  }
  for (const { channel, payload } of extremes.lasting()) {
    if (!client.connected) client = await logIn(port, hostile);
    await published(client, topic(hostile.serial, channel), payload);
    sent += 1;
    await onMessage(sent);
    await onLasting();
  }
  await client.endAsync(true);
  return sent;
}

function spread<Item>(items: readonly Item[], count = items.length): readonly Item[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0).slice(0, count);
}

/** Sends a message; if the gateway does not acknowledge it, the next one uses a new connection. */
async function published(client: MqttClient, name: string, payload: string): Promise<boolean> {
  const cut = Promise.withResolvers<false>();
  const onClose = () => cut.resolve(false);
  client.once('close', onClose);
  const sent = client.publishAsync(name, payload, { qos: 1 }).then(
    () => true,
    () => false,
  );
  const isAcknowledged = await Promise.race([sent, cut.promise]);
  client.off('close', onClose);
  return isAcknowledged;
}

async function logIn(port: number, { serial, secret }: KnownDevice): Promise<MqttClient> {
  const account = { clientId: serial, username: serial, password: secret, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, account, false);
  client.on('error', () => {});
  return client;
}

/** Counts at the store of the hostile device; returns the number of acknowledged crossings. */
export async function countHonestly(port: number, stopping: AbortSignal): Promise<number> {
  const client = await logIn(port, honest);
  let acknowledged = 0;
  while (!stopping.aborted) {
    const first = acknowledged + 1;
    const crossing = [Date.now(), first % 2 === 1 ? 1 : -1];
    const payload = JSON.stringify({ journal: 'honest', first, crossings: [crossing] });
    if (!(await published(client, topic(honest.serial, 'crossings'), payload))) break;
    acknowledged = first;
  }
  await client.endAsync(true);
  return acknowledged;
}
