import { topic } from '@visitor-counter/wire/topics';
import { generate, type Packet } from 'mqtt-packet';
import type { Random } from './random.ts';

/** The identity of the fuzzer. */
export interface KnownDevice {
  readonly serial: string;
  readonly secret: string;
}

/** A CONNECT packet that the gateway accepts. */
export function loginOf({ serial, secret }: KnownDevice, keepalive = 5): Buffer {
  const account = { clientId: serial, username: serial, password: Buffer.from(secret) };
  return generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive,
    ...account,
  });
}

/** A well-formed packet of any kind, which seldom follows the protocol. */
export function wellFormed(random: Random, device: KnownDevice): Buffer {
  const make = random.pick([
    connect,
    publish,
    publish,
    publish,
    subscribe,
    unsubscribe,
    acknowledgement,
    bare,
  ]);
  try {
    return generate(make(random, device));
  } catch {
    /* The library does not write this packet. */
    return random.bytes(random.below(40));
  }
}

type Make = (random: Random, device: KnownDevice) => Packet;

const anyTopic = (random: Random, { serial }: KnownDevice) =>
  random.pick([
    topic(serial, 'crossings'),
    topic(serial, 'heartbeat'),
    topic(serial, 'status'),
    topic(serial, 'time'),
    topic('CU-other', 'crossings'),
    random.text(),
  ]);

const payloads = [
  'online',
  'offline',
  '{"journal":"j","first":1,"crossings":[[1700000000000,1]]}',
  '{"journal":"j","first":9007199254740991,"crossings":[[1e400,1]]}',
  '{"at":1700000000000,"uptime":1,"recorded":5}',
  '{"__proto__":{"a":1},"constructor":1}',
  '[[[[[[[[[[]]]]]]]]]]',
] as const;

const anyPayload = (random: Random) =>
  random.chance(0.6) ? Buffer.from(random.pick(payloads)) : random.bytes(random.below(300));

const qos = (random: Random) => random.pick([0, 1, 2] as const);
const messageId = (random: Random) => random.below(65_536);

const connect: Make = (random, device) => ({
  cmd: 'connect',
  protocolId: random.pick(['MQTT', 'MQTT', 'MQIsdp', 'MQTT']),
  protocolVersion: random.pick([4, 4, 3, 5] as const),
  clean: random.chance(0.5),
  keepalive: random.below(65_536),
  clientId: random.chance(0.5) ? device.serial : random.text(),
  username: random.chance(0.5) ? device.serial : random.text(),
  password: random.chance(0.5) ? Buffer.from(device.secret) : anyPayload(random),
  ...(random.chance(0.5)
    ? {
        will: {
          topic: anyTopic(random, device) || 'a',
          payload: anyPayload(random),
          qos: qos(random),
          retain: random.chance(0.5),
        },
      }
    : {}),
});

const publish: Make = (random, device) => ({
  cmd: 'publish',
  topic: anyTopic(random, device),
  payload: anyPayload(random),
  qos: qos(random),
  dup: random.chance(0.2),
  retain: random.chance(0.2),
  messageId: messageId(random),
});

const subscribe: Make = (random, device) => ({
  cmd: 'subscribe',
  messageId: messageId(random),
  subscriptions: Array.from({ length: 1 + random.below(4) }, () => ({
    topic: anyTopic(random, device),
    qos: qos(random),
  })),
});

const unsubscribe: Make = (random, device) => ({
  cmd: 'unsubscribe',
  messageId: messageId(random),
  unsubscriptions: [anyTopic(random, device)],
});

const acknowledgement: Make = (random) => ({
  cmd: random.pick(['puback', 'pubrec', 'pubrel', 'pubcomp'] as const),
  messageId: messageId(random),
});

const bare: Make = (random) => ({
  cmd: random.pick(['pingreq', 'pingreq', 'pingresp', 'disconnect'] as const),
});
