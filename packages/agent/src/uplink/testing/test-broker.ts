import { createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';

/** A publish as the broker got it. */
export interface Received {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** A broker whose PUBACKs wait for `hold`. */
export interface TestBroker {
  readonly server: string;
  readonly received: Received[];
  readonly sockets: Set<Socket>;
  hold: (received: Received) => Promise<void>;
  accept: boolean;
  /** Whether units may subscribe. */
  grant: boolean;
  /** Publishes as the server does. */
  publish(topic: string, payload: string): void;
  close(): Promise<void>;
}

/** Starts a real broker on a free port of the loopback interface, which knows serial CU-1, secret `secret`. */
export async function startBroker(): Promise<TestBroker> {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const broker: TestBroker = {
    server: `mqtt://127.0.0.1:${port}`,
    received: [],
    sockets,
    hold: () => Promise.resolve(),
    accept: true,
    grant: true,
    publish: (topic, payload) =>
      aedes.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, () => {}),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => aedes.close(() => server.close(() => resolve())));
    },
  };
  aedes.authenticate = (_client, username, password, done) => {
    const known = broker.accept && username === 'CU-1' && password?.toString() === 'secret';
    done(known ? null : Object.assign(new Error('no'), { returnCode: 5 as const }), known);
  };
  aedes.authorizeSubscribe = (_client, subscription, done) => done(null, broker.grant ? subscription : null);
  aedes.authorizePublish = (_client, { topic, payload, retain }, done) => {
    const message = { topic, payload: payload.toString(), retain };
    broker.hold(message).then(
      () => {
        broker.received.push(message);
        done(null);
      },
      (error: Error) => done(error),
    );
  };
  return broker;
}
