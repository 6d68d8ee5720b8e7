import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { firstLine, handoverDescriptor, NotHandedOver, successorVariable } from './predecessor.ts';

/** Loading takes seconds on a Raspberry Pi; one that takes longer than this hangs (ms). */
const readyWithin = 5 * 60_000;

export interface SuccessorParts {
  /** A program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;
  /** The socket that systemd has opened for the agent. */
  readonly notifyDescriptor: number | undefined;
}

/** An agent that has loaded everything and waits until it can take over. */
export interface Successor {
  readonly pid: number;
  /** Lets it begin. Rejects when it has ended. */
  start(): Promise<void>;
  /** Ends it, since this agent continues. */
  cancel(): void;
}

/**
 * Starts another agent, in the same control group and sandbox, and resolves when it is ready to take over. Rejects with
 * NotHandedOver and the reason if it ends before that, hangs, or `signal` aborts; then it has ended.
 */
export async function startSuccessor(parts: SuccessorParts, signal: AbortSignal): Promise<Successor> {
  const child = spawnSuccessor(parts);
  const enough = AbortSignal.any([signal, AbortSignal.timeout(readyWithin)]);
  const kill = () => child.kill('SIGKILL');
  enough.addEventListener('abort', kill, { once: true });
  try {
    const socket = child.stdio[handoverDescriptor];
    if (child.pid === undefined || !(socket instanceof Socket)) throw await startFailed(child);
    const { pid } = child;
    // If the successor ends, its exit code is reported instead of an error of the socket.
    socket.on('error', () => {});
    const word = await firstLine(socket).catch(() => undefined);
    if (word === 'ready' && !enough.aborted) return { pid, start: () => sayGo(socket), cancel: kill };
    throw new NotHandedOver(word === undefined || word === 'ready' ? await endOf(child) : word);
  } catch (error) {
    kill();
    throw error;
  } finally {
    enough.removeEventListener('abort', kill);
  }
}

/** systemd's protocol for descriptors requires the id of the receiving process, which the shell knows. */
function spawnSuccessor({ command, env, notifyDescriptor }: SuccessorParts): ChildProcess {
  const { LISTEN_FDNAMES, LISTEN_FDS, LISTEN_PID, ...others } = env;
  const listen = notifyDescriptor === undefined ? {} : { LISTEN_FDS: '1', LISTEN_FDNAMES: 'notify' };
  return spawn('/bin/sh', ['-c', 'LISTEN_PID=$$ exec "$0" "$@"', ...command], {
    env: { ...others, ...listen, LISTEN_PID: '', [successorVariable]: '1' },
    stdio: ['ignore', 'inherit', 'inherit', notifyDescriptor ?? 'ignore', 'pipe'],
  });
}

async function startFailed(child: ChildProcess): Promise<Error> {
  const [error] = await once(child, 'error');
  return new NotHandedOver(String(error));
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
