import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import type { BootTime } from '../clock/unit-clock.ts';
import type { DoorView } from './door-view.ts';
import { makeSocketPath } from './socket-of.ts';

/** The messages about an old journal that an agent sends for `deliver`. */
export type RelayedChannel = 'crossings' | 'heartbeat';

export interface LocalParts {
  readonly view: () => DoorView;
  readonly identify: () => void;
  /** Sends a message of an old journal; resolves with whether the server has acknowledged it. */
  readonly relay?: (channel: RelayedChannel, payload: string) => Promise<boolean>;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime?: () => BootTime | undefined;
}

/** How often changes are sent to watching clients (ms). */
const tellEvery = 50;
/** The longest question: a message to relay. */
const longestQuestion = maxPacketBytes;

/**
 * Answers people on the same machine about one door: `status` with one JSON line, `watch` with one for each
 * change, `identify` with a blinking light, `relay` with whether the server has acknowledged a message, `clock` with the
 * beginning of this boot. Only the agent's user and group, and root, can connect. Returns a function that ends it.
 */
export async function serveLocal(
  journal: string,
  { view, identify, relay, bootTime }: LocalParts,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let question = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      question += text;
      if (question.length > longestQuestion) return socket.destroy();
      if (!question.endsWith('\n')) return;
      const word = question.trim();
      question = '';
      const [, channel, payload] = /^relay (crossings|heartbeat) (.*)$/.exec(word) ?? [];
      if (relay && (channel === 'crossings' || channel === 'heartbeat') && payload !== undefined)
        return void relay(channel, payload).then(
          (acknowledged) => socket.end(`${acknowledged}\n`),
          () => socket.destroy(),
        );
      if (word === 'watch') return watch(socket, view);
      if (word === 'clock') return socket.end(`${JSON.stringify(bootTime?.() ?? null)}\n`);
      if (word === 'identify') identify();
      else if (word !== 'status') return socket.destroy();
      socket.end(`${JSON.stringify(view())}\n`);
    });
  });
  const path = await makeSocketPath(journal, env);
  /* Removes the socket of an agent that was killed. No other agent can be running, because of the journal's lock. */
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o660);
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
}

function watch(socket: Socket, view: () => DoorView): void {
  let sent = '';
  const tell = () => {
    const text = JSON.stringify(view());
    // A client that does not read receives nothing more until it does.
    if (text === sent || socket.writableNeedDrain) return;
    sent = text;
    socket.write(`${text}\n`);
  };
  tell();
  const timer = setInterval(tell, tellEvery);
  socket.once('close', () => clearInterval(timer));
}
