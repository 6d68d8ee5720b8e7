import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** A program in a separate process that has reported that it is ready. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Its report, such as its ports. */
  readonly ready: Readonly<Record<string, unknown>>;
}

export interface ProgramOptions {
  /** The arguments of `node`: the program and its own arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Time limit for a program to start, and to stop (ms). */
const startDeadline = 30_000;
const endDeadline = 15_000;

/**
 * Starts a program and waits until it sends `{ ready }` over IPC; rejects with its output if it exits before. Disposing
 * stops it, and kills it after the time limit.
 */
export async function startProgram({ args, env = {} }: ProgramOptions): Promise<Program> {
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = outputOf(child);
  const end = () => endProgram(child);
  const late = setTimeout(() => child.kill('SIGKILL'), startDeadline);
  try {
    const ready = await readyMessage(child, () => `${args.join(' ')} did not get ready: ${output()}`);
    return { pid: child.pid ?? 0, ready, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** The port of that name in the report of a program. */
export function portOf({ ready }: Program, name: string): number {
  const port = ready[name];
  if (typeof port === 'number') return port;
  throw new Error(`a program without ${name} when ready: ${JSON.stringify(ready)}`);
}

/** Stops a process with SIGTERM, or with SIGKILL after the time limit. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  const stopWaiting = new AbortController();
  const late = delay(endDeadline, undefined, { signal: stopWaiting.signal });
  late.then(() => child.kill('SIGKILL')).catch(() => {});
  await ended;
  stopWaiting.abort();
}

/** The end of its output. */
function outputOf(child: ChildProcess): () => string {
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk).slice(-10_000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return () => output;
}

function readyMessage(child: ChildProcess, problem: () => string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(problem())));
    child.on('message', (message) => {
      if (isReady(message)) resolve(message.ready);
    });
  });
}

function isReady(message: unknown): message is { ready: Record<string, unknown> } {
  return typeof message === 'object' && message !== null && 'ready' in message;
}
