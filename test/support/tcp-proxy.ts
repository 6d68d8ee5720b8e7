import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from './listening.ts';

type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** Starts a proxy whose connections can be interrupted; it ends with the test that runs. */
export async function startTcpProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let mode: 'carry' | 'refuse' | 'swallow' = 'carry';
  let accepted = 0;
  let onForwarded = (_bytes: number) => {};
  const server = createServer((near) => {
    accepted += 1;
    track(near);
    if (mode === 'refuse') near.resetAndDestroy();
    else join({ near, target, track, forwarded: (bytes) => onForwarded(bytes) });
    if (mode === 'swallow') near.pause();
  });
  const port = await listening(server);
  onTestFinished(() => cut());
  return {
    port,
    /** Connections made to it so far. */
    accepted: () => accepted,
    refuse,
    /** Calls `refuse` as soon as it has forwarded that many more bytes to the target. */
    refuseAfter: (bytes: number) =>
      new Promise<void>((resolve) => {
        let left = bytes;
        onForwarded = (forwarded) => {
          left -= forwarded;
          if (left > 0) return;
          onForwarded = () => {};
          refuse();
          resolve();
        };
      }),
    /** Keeps connections open and accepts new ones, but forwards no more data. */
    swallow: () => {
      mode = 'swallow';
      for (const socket of sockets) socket.pause();
    },
    /** Forwards data again. */
    carry: () => {
      mode = 'carry';
      for (const socket of sockets) socket.resume();
    },
    cut,
  };

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }

  /** Resets all connections, and refuses new ones. */
  function refuse(): void {
    mode = 'refuse';
    cut();
  }

  /** Resets all connections. */
  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }
}

interface Join {
  readonly near: Socket;
  readonly target: { readonly host: string; readonly port: number };
  track(socket: Socket): void;
  /** Called with each number of bytes that went to the target. */
  forwarded(bytes: number): void;
}

function join({ near, target, track, forwarded }: Join): void {
  const far = connect(target);
  track(far);
  near.on('data', (chunk) => {
    far.write(chunk);
    forwarded(chunk.length);
  });
  far.on('data', (chunk) => near.write(chunk));
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
}

/** The URL of the same database through a proxy. */
export function throughProxy(url: string, proxy: TcpProxy): string {
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${proxy.port}`;
  return proxied.href;
}

/** Starts a proxy in front of a database. */
export function startDatabaseProxy(url: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(url);
  return startTcpProxy({ host, port: Number(port) });
}
