import { setTimeout as pause } from 'node:timers/promises';
import { shuffled } from '@visitor-counter/simulation/random';
import { decodeCrossings, encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { topic } from '@visitor-counter/wire/topics';
import mqtt from 'mqtt';
import { untilTrue } from '../until.ts';
import { secretOf } from '../world/company.ts';
import { between, type Fault, pick } from './fault.ts';

/**
 * A second client with the unit's credentials takes over its session and delivers earlier messages again: in another
 * order, some of them twice, and in other batches.
 */
export const repeatMessages: Fault = {
  kind: 'messages repeated and reordered',
  kills: false,
  weight: 3,
  inject: async ({ units, gateways, tap }, random) => {
    const { serial } = pick(units, random).truth;
    const { port } = pick(gateways, random);
    await untilTrue(() => tap.messages(serial).length > 0, `${serial} has sent crossings`);
    const kept = tap.messages(serial);
    const drawn = Array.from({ length: between(1, 24, random) }, () => pick(kept, random));
    const payloads = shuffled(
      drawn.flatMap((payload) => regrouped(payload, random)),
      random,
    );
    await deliver(serial, port, payloads);
  },
};

/** A message, or two overlapping parts of it. */
function regrouped(payload: Buffer, random: () => number): string[] {
  const message = decodeCrossings(payload, Date.now());
  if ('malformed' in message) throw new Error(`a unit sent what cannot be read: ${message.malformed}`);
  const { journal, valid } = message;
  const cut = between(0, valid.length, random);
  const overlap = between(0, cut, random);
  return [valid.slice(0, cut), valid.slice(cut - overlap)].flatMap((crossings) => {
    const [first] = crossings;
    return first ? encodeCrossings({ journal, first: first.sequence, crossings }) : [];
  });
}

/** Waits until all messages are acknowledged, the connection ends, or time is up. */
async function deliver(serial: string, port: number, payloads: readonly string[]): Promise<void> {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    clientId: serial,
    username: serial,
    password: secretOf(serial),
    reconnectPeriod: 0,
    connectTimeout: 3_000,
  });
  client.on('error', () => {});
  const over = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const sent = payloads.map((payload) =>
    client.publishAsync(topic(serial, 'crossings'), payload, { qos: 1 }).catch(() => {}),
  );
  await Promise.race([Promise.all(sent), over, pause(3_000)]);
  client.end(true);
}
