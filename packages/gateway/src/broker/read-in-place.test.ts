import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readInPlace } from './read-in-place.ts';

/** A server that hands on what it accepts, read in place. */
async function serve(take: (socket: Socket, accepted: Socket) => void) {
  const server = createServer({ pauseOnConnect: true }, (accepted) => take(readInPlace(accepted), accepted));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { server, open };
}

test('brings what each of many clients sends, to its end, and answers it', async () => {
  const { server, open } = await serve((socket) => {
    const parts: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => parts.push(Buffer.from(bytes)));
    socket.on('end', () => socket.end(Buffer.concat(parts)));
  });
  const clients = await Promise.all(Array.from({ length: 20 }, open));

  const answered = await Promise.all(
    clients.map(async (client, index) => {
      const sent = Buffer.alloc(300_000, `client ${index}, `);
      client.end(sent);
      const answer = Buffer.concat(await client.toArray());
      return answer.equals(sent);
    }),
  );

  expect(answered).toEqual(clients.map(() => true));
  server.close();
  await once(server, 'close');
});

test('reads all clients into the same memory', async () => {
  const memory = new Set<ArrayBufferLike>();
  const { open } = await serve((socket) => socket.on('data', ({ buffer }: Buffer) => memory.add(buffer)));
  const clients = [await open(), await open()];
  let written = 0;
  for (const client of clients) client.write('x', () => (written += 1));

  await vi.waitFor(() => expect([written, memory.size]).toEqual([2, 1]));
});

test('reads nothing while it is paused', async () => {
  const accepting = Promise.withResolvers<Socket>();
  const { open } = await serve((socket) => accepting.resolve(socket));
  const client = await open();
  const socket = await accepting.promise;
  let read = 0;
  socket.on('data', (bytes: Buffer) => {
    read += bytes.length;
    socket.pause();
  });
  const sent = Buffer.alloc(1_000_000);

  client.write(sent);
  await vi.waitFor(() => expect(read).toBeGreaterThan(0));
  const first = read;
  /* The loop has had turns in which more would have been read. */
  const other = await open();
  other.end();
  await once(other, 'close');
  expect(read).toBe(first);

  socket.on('pause', () => setImmediate(() => socket.resume()));
  socket.resume();
  await vi.waitFor(() => expect(read).toBe(sent.length));
});

test('ends with its client, and the server knows', async () => {
  const ended = Promise.withResolvers<unknown>();
  const { server, open } = await serve((socket, accepted) => {
    socket.on('data', () => {}).on('error', () => {});
    accepted.once('close', ended.resolve);
  });
  const client = await open();

  client.resetAndDestroy();

  await ended.promise;
  const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  expect(connections).toBe(0);
});

test('leaves alone what is closed already', async () => {
  const seen = Promise.withResolvers<Socket>();
  const { server, open } = await serve((socket) => seen.resolve(socket));
  server.prependListener('connection', (socket: Socket) => socket.destroy());
  const client = await open();

  expect((await seen.promise).destroyed).toBe(true);
  await once(client.resume(), 'close');
});
