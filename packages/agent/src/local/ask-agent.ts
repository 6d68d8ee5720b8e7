import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from '@visitor-counter/service/errors';
import { textLines } from '../async/text-lines.ts';
import type { DoorView } from './door-view.ts';
import type { Adoption } from './serve-local.ts';
import { socketPaths } from './socket-of.ts';

/**
 * The lines with which the agent that has this journal open answers, until `signal` aborts or the agent ends. None if no agent
 * has it open. `watch`: the state of the door, as JSON, after each change; `edges`: lines of a trace.
 */
export async function* askAgent(
  journal: string,
  question: 'status' | 'watch' | 'identify' | 'edges',
  signal: AbortSignal,
): AsyncGenerator<string> {
  const socket = await connectTo(journal);
  if (!socket) return;
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    socket.write(`${question}\n`);
    for await (const lines of textLines(socket)) yield* lines;
  } catch (error) {
    if (!signal.aborted && !isEnded(error)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** One answer, or undefined when no agent has this journal open. */
export async function askOnce(
  journal: string,
  question: 'status' | 'identify' = 'status',
): Promise<DoorView | undefined> {
  for await (const line of askAgent(journal, question, AbortSignal.timeout(5_000))) return JSON.parse(line);
  return undefined;
}

/** Has the agent of this journal adopt those in a folder. Undefined if it does not answer. */
export async function askToAdopt(journal: string, folder: string): Promise<Adoption | undefined> {
  const socket = await connectTo(journal);
  socket?.write(`adopt ${folder}\n`);
  const answer = socket && (await text(socket).catch(() => ''));
  return answer ? JSON.parse(answer) : undefined;
}

async function connectTo(journal: string): Promise<Socket | undefined> {
  for (const path of await socketPaths(journal).catch(() => [])) {
    try {
      const socket = connect(path);
      await once(socket, 'connect');
      return socket;
    } catch {}
  }
  return undefined;
}

/** Whether the agent has closed the connection, because it ends, without reading the question. */
function isEnded(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(String(codeOf(error)));
}
