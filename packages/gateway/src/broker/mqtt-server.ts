import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Address, listen } from '@visitor-counter/service/listen';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import type { Aedes } from 'aedes';
import type { Gate } from './gate.ts';
import { GuardedConnection } from './guarded-connection.ts';

/** The sockets of the units. */
export interface MqttServer {
  readonly port: number;
  /** Sockets, logged in or not. */
  readonly connections: number;
  /** Takes no new connections, and reads nothing more from those there are. */
  stopReading(): void;
  /** Ends all connections, logged in or not. */
  close(): Promise<void>;
}

/** After how long without traffic the system asks whether the other side is still there (ms). */
const keepAliveInitialDelay = 60_000;

export async function startMqttServer(broker: Aedes, gate: Gate, address: Address): Promise<MqttServer> {
  const connections = new Set<GuardedConnection>();
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay }, (socket) => {
    const connection = new GuardedConnection(socket, { maxPacketBytes, gate });
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    broker.handle(connection);
  });
  const port = await listen(server, address);
  const closed = once(server, 'close');
  return {
    port,
    get connections() {
      return connections.size;
    },
    stopReading: () => {
      server.close();
      for (const connection of connections) connection.stopReading();
    },
    close: async () => {
      await new Promise<void>((resolve) => broker.close(resolve));
      for (const connection of connections) connection.destroy();
      if (server.listening) server.close();
      await closed;
    },
  };
}
