import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address of a database that can become unavailable and available again. */
export interface Relay {
  readonly url: string;
  up(): Promise<void>;
  /** Cuts every connection and refuses new ones. */
  down(): Promise<void>;
}

/** A relay to a database; it is down at first. */
export async function relayTo(databaseUrl: string): Promise<Relay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((inbound) => {
    const outbound = connect(Number(target.port), target.hostname);
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [inbound, outbound].map((one) => one.destroy()));
    }
    inbound.pipe(outbound).pipe(inbound);
  });
  const port = await listen(server, 0);
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  await down();
  onTestFinished(down);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return { url: url.href, down, up: async () => void (await listen(server, port)) };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
