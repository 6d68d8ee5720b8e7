import { createServer, type Socket } from 'node:net';
import mqtt, {
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
} from 'mqtt-packet';

/** A message as the broker received it. */
export interface Received {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** A broker that calls `hold` for each message: the PUBACK waits for it; if it rejects, the connection is closed. */
export interface TestBroker {
  readonly server: string;
  readonly received: Received[];
  readonly sockets: Set<Socket>;
  /** How many clients tried to log in, and how many of them had a last will. */
  connects: number;
  wills: number;
  hold: (received: Received) => Promise<void>;
  accept: boolean;
  /** Whether units may subscribe; `silent`: a SUBSCRIBE gets no answer. */
  grant: boolean | 'silent';
  /** Publishes, like the server, to the clients that have subscribed to the topic. */
  publish(topic: string, payload: string): void;
  close(): Promise<void>;
}

/** MQTT 3.1.1, CONNACK return code: not authorized; SUBACK return code: failure. */
const notAuthorized = 5;
const failure = 0x80;

/**
 * Starts it on a free port of the loopback interface, for serial CU-1 with the secret `secret`. Like the gateway, and unlike
 * aedes, it continues to read while messages are not acknowledged.
 */
export async function startBroker(): Promise<TestBroker> {
  const sockets = new Set<Socket>();
  const subscriptions = new Map<Socket, Set<string>>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const topics = new Set<string>();
    subscriptions.set(socket, topics);
    socket.on('close', () => {
      sockets.delete(socket);
      subscriptions.delete(socket);
    });
    socket.on('error', () => {});
    const parser = mqtt.parser();
    parser.on('packet', (packet) => answer({ broker, socket, topics }, packet));
    socket.on('data', (chunk) => parser.parse(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const broker: TestBroker = {
    server: `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : undefined}`,
    received: [],
    sockets,
    connects: 0,
    wills: 0,
    hold: () => Promise.resolve(),
    accept: true,
    grant: true,
    publish: (topic, payload) => {
      const message = { topic, payload, qos: 0, retain: false, dup: false } as const;
      const packet = mqtt.generate({ cmd: 'publish', ...message });
      for (const [socket, topics] of subscriptions) if (topics.has(topic)) socket.write(packet);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return broker;
}

/** The messages of one channel, parsed, in order. */
export function messagesAt<Message>({ received }: TestBroker, channel: string): Message[] {
  return received
    .filter(({ topic }) => topic.endsWith(`/${channel}`))
    .map(({ payload }) => JSON.parse(payload));
}

/** A message on the channel `crossings`. */
export interface Batch {
  readonly journal: string;
  readonly first: number;
  readonly crossings: readonly (readonly [at: number, direction: number])[];
}

/** The crossings that it has received, in order, with repetitions. */
export function crossingsAt(broker: TestBroker) {
  return messagesAt<Batch>(broker, 'crossings').flatMap(({ journal, first, crossings }) =>
    crossings.map(([at], index) => ({ journal, sequence: first + index, at })),
  );
}

interface Connection {
  readonly broker: TestBroker;
  readonly socket: Socket;
  /** The topics to which its unit has subscribed. */
  readonly topics: Set<string>;
}

function answer(connection: Connection, packet: Packet): void {
  const { socket } = connection;
  if (packet.cmd === 'connect') answerConnect(connection, packet);
  if (packet.cmd === 'subscribe') answerSubscribe(connection, packet);
  if (packet.cmd === 'publish') answerPublish(connection, packet);
  if (packet.cmd === 'pingreq') socket.write(mqtt.generate({ cmd: 'pingresp' }));
  if (packet.cmd === 'disconnect') socket.end();
}

function answerConnect({ broker, socket }: Connection, { username, password, will }: IConnectPacket): void {
  broker.connects += 1;
  if (will) broker.wills += 1;
  const known = broker.accept && username === 'CU-1' && password?.toString() === 'secret';
  const returnCode = known ? 0 : notAuthorized;
  socket.write(mqtt.generate({ cmd: 'connack', returnCode, sessionPresent: false }));
  if (!known) socket.end();
}

function answerSubscribe(
  { broker, socket, topics }: Connection,
  { messageId = 0, subscriptions }: ISubscribePacket,
): void {
  if (broker.grant === 'silent') return;
  const granted = subscriptions.map(({ qos }) => (broker.grant ? qos : failure));
  if (broker.grant) for (const { topic } of subscriptions) topics.add(topic);
  socket.write(mqtt.generate({ cmd: 'suback', messageId, granted }));
}

function answerPublish(
  { broker, socket }: Connection,
  { topic, payload, retain, qos, messageId = 0 }: IPublishPacket,
): void {
  const message = { topic, payload: payload.toString(), retain };
  broker.hold(message).then(
    () => {
      if (!socket.writable) return;
      broker.received.push(message);
      if (qos === 1) socket.write(mqtt.generate({ cmd: 'puback', messageId }));
    },
    () => socket.destroy(),
  );
}
