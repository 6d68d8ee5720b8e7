import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { textLines } from '../async/text-lines.ts';

/** Loading takes seconds on a Raspberry Pi; one that takes longer than this hangs (ms). */
const readyWithin = 5 * 60_000;

/** An agent that has loaded everything and waits until it can take over. */
export interface Successor {
  readonly pid: number;
  /** Lets it begin. Rejects when it has ended. */
  start(): Promise<void>;
  /** Ends it, since this agent continues. */
  cancel(): void;
}

/**
 * Starts another agent, a program and its arguments, in the same control group and sandbox, and resolves when it is ready
 * to take over. `notifyDescriptor` is the socket that systemd has opened for the agent. Rejects with the reason if the
 * successor ends before that, hangs, or `signal` aborts; then it has ended.
 */
export async function startSuccessor(
  command: readonly string[],
  env: Environment,
  notifyDescriptor: number | undefined,
  signal: AbortSignal,
): Promise<Successor> {
  const child = spawnSuccessor(command, env, notifyDescriptor);
  const enough = AbortSignal.any([signal, AbortSignal.timeout(readyWithin)]);
  const kill = () => child.kill('SIGKILL');
  enough.addEventListener('abort', kill, { once: true });
  try {
    const socket = child.stdio[handoverDescriptor];
    if (child.pid === undefined || !(socket instanceof Socket)) throw await startFailed(child);
    const { pid } = child;
    /* If the successor ends, its exit code is reported instead of an error of the socket. */
    socket.on('error', () => {});
    const word = await firstLine(socket).catch(() => undefined);
    if (word === 'ready' && !enough.aborted) return { pid, start: () => sayGo(socket), cancel: kill };
    throw new Error(word === undefined || word === 'ready' ? await endOf(child) : word);
  } catch (error) {
    kill();
    throw error;
  } finally {
    enough.removeEventListener('abort', kill);
  }
}

/** systemd's protocol for descriptors requires the id of the receiving process, which the shell knows. */
function spawnSuccessor(
  command: readonly string[],
  env: Environment,
  notifyDescriptor: number | undefined,
): ChildProcess {
  const { LISTEN_FDNAMES, LISTEN_FDS, LISTEN_PID, ...others } = env;
  const listen = notifyDescriptor === undefined ? {} : { LISTEN_FDS: '1', LISTEN_FDNAMES: 'notify' };
  return spawn('/bin/sh', ['-c', 'LISTEN_PID=$$ exec "$0" "$@"', ...command], {
    env: { ...others, ...listen, LISTEN_PID: '', [successorVariable]: '1' },
    stdio: ['ignore', 'inherit', 'inherit', notifyDescriptor ?? 'ignore', 'pipe'],
  });
}

async function startFailed(child: ChildProcess): Promise<Error> {
  const [error] = await once(child, 'error');
  return new Error(String(error));
}

async function endOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return `ended with ${child.signalCode ?? `exit code ${child.exitCode}`} before it was ready`;
}

function sayGo(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.write('go\n', (error) => (error ? reject(error) : resolve())),
  );
}

/** Set for a successor. */
const successorVariable = 'COUNTER_SUCCESSOR';
/** The descriptor over which the running agent and its successor communicate. */
const handoverDescriptor = 4;

/** The running agent, as its successor sees it. */
interface Predecessor {
  /**
   * Reports that everything is loaded, and resolves when the running agent has released lines, journals and
   * connections. Rejects when it ends without that, and with the reason of `stopping`.
   */
  handOver(stopping: AbortSignal): Promise<void>;
  /** Reports why this process cannot take over. Has no effect after `handOver` has resolved. */
  fail(problem: string): void;
}

/** The agent that has started this one as its successor; undefined if none has. */
export function openPredecessor(env: Environment): Predecessor | undefined {
  if (!env[successorVariable]) return undefined;
  let isOpen = true;
  return {
    handOver: async (stopping) => {
      const socket = new Socket({ fd: handoverDescriptor });
      const stop = () => socket.destroy();
      stopping.addEventListener('abort', stop, { once: true });
      try {
        socket.write('ready\n');
        const word = await firstLine(socket).catch(() => undefined);
        stopping.throwIfAborted();
        if (word !== 'go') throw new Error('the running agent has not handed over');
      } finally {
        isOpen = false;
        stopping.removeEventListener('abort', stop);
        socket.destroy();
      }
    },
    fail: (problem) => {
      if (isOpen) writeSync(handoverDescriptor, `${problem.replaceAll('\n', ' ')}\n`);
    },
  };
}

/** The first line that arrives on a socket, which stays open; undefined when the other end closes before. */
async function firstLine(socket: Socket): Promise<string | undefined> {
  for await (const [line] of textLines(socket.iterator({ destroyOnReturn: false }))) {
    if (line !== undefined) return line;
  }
  return undefined;
}
