import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from '@visitor-counter/service/errors';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { textLines } from '../async/text-lines.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { DoorView } from './door-view.ts';
import type { RelayedChannel } from './serve-local.ts';
import { socketPaths } from './socket-of.ts';

const shape = Compile(DoorView);
const bootTime = Compile(Type.Object({ offset: Type.Number(), uncertainty: Type.Number() }));

/**
 * The answers of the agent that has this journal open: one answer, or, to `watch`, one after the other until `signal` aborts
 * or the agent ends. None if no agent has it open. Throws if the answer is that of another version.
 */
export async function* askAgent(
  journal: string,
  question: 'status' | 'watch' | 'identify',
  signal: AbortSignal = AbortSignal.timeout(5_000),
): AsyncGenerator<DoorView> {
  const socket = await connectTo(journal);
  if (!socket) return;
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    socket.write(`${question}\n`);
    for await (const lines of textLines(socket)) for (const line of lines) yield parse(line);
  } catch (error) {
    if (!signal.aborted && !isEnded(error)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** One answer, or undefined when no agent has this journal open. Throws if the answer is that of another version. */
export async function askOnce(
  journal: string,
  question: 'status' | 'identify' = 'status',
): Promise<DoorView | undefined> {
  for await (const view of askAgent(journal, question)) return view;
  return undefined;
}

/** Sends a message through the agent that has this journal open; resolves with whether the server has acknowledged it. */
export async function relay(journal: string, channel: RelayedChannel, payload: string): Promise<boolean> {
  return (await answerTo(journal, `relay ${channel} ${payload}`)) === 'true\n';
}

/** When the present boot began, according to the agent that has this journal open; undefined while it does not know. */
export async function askBootTime(journal: string): Promise<BootTime | undefined> {
  const known: unknown = JSON.parse((await answerTo(journal, 'clock')) || 'null');
  return bootTime.Check(known) ? known : undefined;
}

/** The complete answer; undefined if no agent answers. */
async function answerTo(journal: string, question: string): Promise<string | undefined> {
  const socket = await connectTo(journal);
  socket?.write(`${question}\n`);
  return socket && text(socket).catch(() => undefined);
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

function parse(line: string): DoorView {
  const view: unknown = JSON.parse(line);
  if (shape.Check(view)) return view;
  throw new Error('the running agent is of another version: restart it');
}
