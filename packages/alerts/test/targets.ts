import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { listen } from '@visitor-counter/service/listen';
import { onTestFinished } from 'vitest';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A webhook that records its requests. */
export async function startWebhook() {
  const received: Received[] = [];
  let status = 204;
  let held: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    /* The sender may break off its request. */
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    received.push({ headers: request.headers, body: body.toString() });
    await held?.promise;
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`,
    received: received as readonly Received[],
    /** Sets the status of the following answers. */
    answer: (next: number) => {
      status = next;
    },
    /** Receives requests without answering, until `release`. */
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => held?.resolve(),
  };
}

/** A server that accepts connections and sends nothing, and its open connections. */
export async function startSilentServer() {
  const connections = new Set<Socket>();
  const server = createTcpServer((socket) => {
    connections.add(socket);
    socket.on('error', () => {}).on('close', () => connections.delete(socket));
  });
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, setting: 'the port' });
  return { host: `127.0.0.1:${port}`, connections };
}
