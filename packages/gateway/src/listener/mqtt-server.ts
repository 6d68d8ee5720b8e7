import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { addressKey } from '@visitor-counter/service/address-key';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Address, listen } from '@visitor-counter/service/listen';
import type { Logger } from '@visitor-counter/service/logger';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import type { Aedes } from 'aedes';
import type { Gate } from '../backpressure/backpressure.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import { GuardedConnection } from './client-connection.ts';
import { Door } from './connection-admission.ts';
import { Places } from './connection-limits.ts';
import type { DefenceLimits } from './listener-limits.ts';
import type { TlsConfig } from './read-tls.ts';
import { createTlsServer } from './tls-server.ts';

/** The sockets of the units. */
export interface MqttServer {
  /** The port without encryption, where there is one. */
  readonly port: number | undefined;
  /** The port with TLS, where there is one. */
  readonly tlsPort: number | undefined;
  /** Sockets, logged in or not, and those in their TLS handshake. */
  readonly connections: number;
  /** Takes no new connections, and reads nothing more from those there are. */
  stopReading(): void;
  /** Ends all connections, logged in or not. */
  close(): Promise<void>;
}

export interface MqttServerOptions {
  readonly broker: Aedes;
  readonly gate: Gate;
  readonly defence: DefenceLimits;
  readonly plain: Address | undefined;
  readonly secure: (Address & TlsConfig) | undefined;
  /** How often the certificates are looked at (ms). */
  readonly reloadInterval: number;
  readonly access: AccessInstruments;
  readonly log: Logger;
}

/** After how long without traffic the system asks whether the other side is still there (ms). */
const keepAliveInitialDelay = 60_000;

/** Throws ConfigurationError when a port or a certificate cannot be used. */
export async function startMqttServer(options: MqttServerOptions): Promise<MqttServer> {
  const { broker, defence, plain, secure, access, log } = options;
  const connections = new Set<GuardedConnection>();
  const door = new Door(new Places(defence), access.connectionRefused, new BoundedLog(log));
  const servers: { server: Server; closed: Promise<unknown> }[] = [];
  const take = (socket: Socket, certified?: string[]) => {
    const connection = guard(options, door, socket, certified);
    if (connection === undefined) return;
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    broker.handle(connection);
  };
  const open = async (server: Server, address: Address): Promise<number> => {
    server.prependListener('connection', (socket: Socket) => door.enter(socket));
    const port = await listen(server, address);
    servers.push({ server, closed: once(server, 'close') });
    return port;
  };
  const close = async () => {
    await new Promise<void>((resolve) => broker.close(resolve));
    for (const connection of connections) connection.destroy();
    for (const { server } of servers) if (server.listening) server.close();
    await Promise.all(servers.map(({ closed }) => closed));
  };
  try {
    return {
      tlsPort: secure && (await open(await tlsServer(options, secure, take), secure)),
      port: plain && (await open(plainServer(take), plain)),
      get connections() {
        return door.connections;
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

function plainServer(take: (socket: Socket) => void): Server {
  return createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay }, (socket) => take(socket));
}

function tlsServer(
  { defence, reloadInterval, log }: MqttServerOptions,
  tls: TlsConfig,
  onConnection: (socket: Socket, certified: string[] | undefined) => void,
): Promise<Server> {
  return createTlsServer({ tls, handshakeTimeout: defence.loginWithin, reloadInterval, log, onConnection });
}

function guard(
  { gate, defence }: MqttServerOptions,
  door: Door,
  socket: Socket,
  certified: string[] | undefined,
): GuardedConnection | undefined {
  const place = door.placeOf(socket);
  if (place === undefined) {
    socket.destroy();
    return undefined;
  }
  const { loginWithin } = defence;
  const address = addressKey(socket.remoteAddress);
  const { loggedIn: onLogin } = place;
  return new GuardedConnection(socket, { maxPacketBytes, gate, loginWithin, address, certified, onLogin });
}
