import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { addressKey } from '@visitor-counter/service/address-key';
import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { type Address, listen } from '@visitor-counter/service/listen';
import type { Aedes } from 'aedes';
import type { GatewayParts } from '../gateway-parts.ts';
import { ClientConnection } from './client-connection.ts';
import { connectionLimits, type ListenerLimits } from './connection-limits.ts';
import { createTlsServer } from './tls-server.ts';

/** The sockets of the units. */
interface MqttServer {
  /** The port without encryption, if any. */
  readonly port: number | undefined;
  /** The port with TLS, if any. */
  readonly tlsPort: number | undefined;
  /** Open sockets, including those that are not logged in yet or are in their TLS handshake. */
  readonly connections: number;
  /** Accepts no new connections, and reads nothing more from the existing ones. */
  stopReading(): void;
  /** Closes all connections, including those that are not logged in yet or are in their TLS handshake. */
  close(): Promise<void>;
}

/** Where the gateway listens, and its limits. */
export interface ListenerConfig {
  /** The address without encryption; undefined if only TLS is used. */
  readonly plain: Address | undefined;
  readonly secure: (Address & CertificateFiles) | undefined;
  readonly listener: ListenerLimits;
}

/** TCP keep-alive: time without traffic until the first probe (ms). */
const keepAliveInitialDelay = 60_000;

/** Throws ConfigurationError when a port or a certificate cannot be used. */
export async function startMqttServer(
  broker: Aedes,
  { plain, secure }: ListenerConfig,
  parts: GatewayParts,
): Promise<MqttServer> {
  const connections = new Set<ClientConnection>();
  const { limits, backpressure, instruments, log } = parts;
  const sockets = connectionLimits(limits, instruments.access.connectionRefused, log);
  const servers: { server: Server; closed: Promise<unknown> }[] = [];
  const onConnection = (socket: Socket) => {
    if (socket.destroyed) return;
    const connection = new ClientConnection(socket, {
      backpressure,
      loginWithin: limits.loginWithin,
      address: addressKey(socket.remoteAddress),
    });
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    broker.handle(connection);
  };
  const tcp = { noDelay: true, keepAlive: true, keepAliveInitialDelay };
  const open = async (server: Server, address: Address): Promise<number> => {
    server.prependListener('connection', (socket: Socket) => sockets.admit(socket));
    const port = await listen(server, address);
    servers.push({ server, closed: once(server, 'close') });
    return port;
  };
  const close = async () => {
    await new Promise<void>((resolve) => broker.close(resolve));
    sockets.destroyAll();
    for (const { server } of servers) if (server.listening) server.close();
    await Promise.all(servers.map(({ closed }) => closed));
  };
  try {
    return {
      tlsPort: secure && (await open(await createTlsServer(secure, tcp, parts, onConnection), secure)),
      port: plain && (await open(createServer(tcp, onConnection), plain)),
      get connections() {
        return sockets.open();
      },
      stopReading: () => {
        for (const { server } of servers) server.close();
        for (const connection of connections) connection.stopReading();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
