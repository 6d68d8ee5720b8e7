import { setTimeout as pause } from 'node:timers/promises';
import { topic } from '@visitor-counter/wire/topics';
import mqtt, { type MqttClient } from 'mqtt';
import { type ExtremeMessage, ExtremeMessages } from '../../attack/extremes/extreme-messages.ts';
import { secretOf } from '../world/company.ts';

/** A hostile device of a company that sends extreme messages as long as the campaign runs. */
export interface Hostile {
  readonly sent: number;
  close(): Promise<void>;
}

/** Between two messages (ms): enough for thousands in a campaign, too little to be a load. */
const every = 30;
/** Time limit of a message before the next one is sent (ms). */
const patience = 500;

/** Starts sending: all extremes of all fields in order, then random ones; it reconnects to another gateway. */
export function startHostile(serial: string, ports: readonly number[], seed: number): Hostile {
  const stopping = new AbortController();
  const messages = allMessages(seed);
  let sent = 0;
  const run = async () => {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      const client = connect(serial, ports[attempt % ports.length] ?? 0);
      sent += await sendUntilCut(client, serial, messages, stopping.signal);
      client.end(true);
      await pause(every);
    }
  };
  const running = run();
  return {
    get sent() {
      return sent;
    },
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

function* allMessages(seed: number): Generator<ExtremeMessage, never> {
  const extremes = new ExtremeMessages(seed, Date.now);
  yield* extremes.everyField();
  for (;;) yield extremes.next();
}

function connect(serial: string, port: number): MqttClient {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    clientId: serial,
    username: serial,
    password: secretOf(serial),
    reconnectPeriod: 0,
    connectTimeout: 3_000,
  });
  client.on('error', () => {});
  return client;
}

/** Sends each message once, acknowledged or not; returns their number. */
async function sendUntilCut(
  client: MqttClient,
  serial: string,
  messages: Generator<ExtremeMessage, never>,
  stopping: AbortSignal,
): Promise<number> {
  let isCut = false;
  const cut = new Promise<void>((resolve) => client.once('close', () => resolve())).then(() => {
    isCut = true;
  });
  await Promise.race([cut, new Promise((resolve) => client.once('connect', resolve))]);
  let sent = 0;
  while (!isCut && !stopping.aborted) {
    const { channel, payload } = messages.next().value;
    const published = client.publishAsync(topic(serial, channel), payload, { qos: 1 }).catch(() => {});
    await Promise.race([published, cut, pause(patience)]);
    sent += 1;
    await pause(every);
  }
  return sent;
}
