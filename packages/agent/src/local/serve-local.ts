import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { reasonOf } from '@visitor-counter/service/errors';
import type { Journal } from '../journal/journal.ts';
import type { StoredJournal } from '../journal/rows.ts';
import type { DoorView } from './door-view.ts';
import { makeSocketPath } from './socket-of.ts';

/** A door, as commands on the same machine use it. */
interface LocalDoor {
  readonly view: () => DoorView;
  readonly identify: () => void;
  readonly journal: Pick<Journal, 'adoptOlder'>;
  /** Calls the listener with lines of a trace: the present levels, then each edge. Returns the function that ends this. */
  readonly edges: (listener: (lines: string) => void) => () => void;
}

export type AdoptedJournal = Pick<StoredJournal, 'recorded' | 'acknowledged' | 'lost'>;

/** The answer to `adopt`: the journals that the agent delivers now, or why it does not. */
export type Adoption = { readonly adopted: readonly AdoptedJournal[] } | { readonly problem: string };

/** How often changes are sent to watching clients (ms). */
const watchEvery = 50;
/** The longest question (characters): a path is shorter. */
const longestQuestion = 5_000;

/**
 * Answers commands on the same machine about one door: `status` with one JSON line, `watch` with one for each change,
 * `edges` with lines of a trace, `identify` also blinks the light, `adopt` with an Adoption of the journals in a folder. Only the agent's user and group, and root, can connect. Returns a function that ends this.
 */
export async function serveLocal(
  journal: string,
  door: LocalDoor,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > longestQuestion) return socket.destroy();
      if (!text.endsWith('\n')) return;
      const question = text.trim();
      text = '';
      if (question === 'watch') return watch(socket, door.view);
      if (question === 'edges') return sendEdges(socket, door.edges);
      answerTo(question, door).then(
        (answer) => socket.end(`${answer}\n`),
        () => socket.destroy(),
      );
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

/** The answer to every question that has one. Rejects for a question that is unknown. */
async function answerTo(question: string, door: LocalDoor): Promise<string> {
  if (question === 'identify') door.identify();
  if (question === 'identify' || question === 'status') return JSON.stringify(door.view());
  const [, folder] = /^adopt (.*)$/.exec(question) ?? [];
  if (folder === undefined) throw new Error('unknown question');
  return JSON.stringify(adopt(folder, door.journal));
}

function adopt(folder: string, journal: LocalDoor['journal']): Adoption {
  try {
    return { adopted: journal.adoptOlder(folder) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

function watch(socket: Socket, view: () => DoorView): void {
  let sent = '';
  const send = () => {
    const text = JSON.stringify(view());
    /* Nothing more is sent to a client that does not read, until it does. */
    if (text === sent || socket.writableNeedDrain) return;
    sent = text;
    socket.write(`${text}\n`);
  };
  send();
  const timer = setInterval(send, watchEvery);
  socket.once('close', () => clearInterval(timer));
}

/** A client that does not read has so many bytes waiting: it is disconnected. */
const mostUnread = 1_000_000;

function sendEdges(socket: Socket, edges: LocalDoor['edges']): void {
  const stop = edges((lines) => {
    socket.write(lines);
    if (socket.writableLength > mostUnread) socket.destroy();
  });
  socket.once('close', stop);
}
