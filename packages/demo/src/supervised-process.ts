import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pause } from '@visitor-counter/service/pause';

export interface ProcessOptions {
  readonly name: string;
  /** The arguments of `node`: the program and its own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file to which the output of the process is appended. */
  readonly logFile: string;
  /**
   * For how long a first run that fails is retried (ms): a process of an earlier supervisor that was killed
   * may need a moment to release its journals. Default 0.
   */
  readonly retryFor?: number;
  /** Called with every message that the process sends to its supervisor. */
  readonly onMessage?: (message: unknown) => void;
  /** Called when the process has ended without being stopped; it is then started again. */
  readonly onUnexpectedEnd: (name: string, how: string) => void;
}

/** A process could not use one of its settings, and has reported it itself. */
export class UnusableSettingError extends Error {
  override readonly name = 'UnusableSettingError';
  readonly code = 'unusable_setting';
}

/** A process that is started again, after a pause, until it is stopped. */
export interface SupervisedProcess {
  stop(): Promise<void>;
}

/** The exit code of every program of the product for a setting that cannot be used. */
const unusableSetting = 2;

/** Pause before the next run (ms). */
const restartAfter = 1_000;

/**
 * Starts a process and waits for its message `{ ready }`; rejects when it ends before that, with its output
 * on standard error, as an UnusableSettingError if it ended with exit code 2. The process has a process group
 * of its own, so that Ctrl-C reaches it through its supervisor, in order, and it stops automatically when the
 * supervisor has ended (IPC disconnects).
 */
export async function startProcess(options: ProcessOptions): Promise<SupervisedProcess> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  let current = await firstRun(options);
  const stopping = new AbortController();
  const supervise = async () => {
    for (;;) {
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      options.onUnexpectedEnd(options.name, how);
      await pause(restartAfter, stopping.signal);
      if (stopping.signal.aborted) return;
      current = run(options);
      current.ready.catch(() => {});
    }
  };
  const supervision = supervise();
  return {
    stop: async () => {
      stopping.abort();
      current.child.kill('SIGTERM');
      await supervision;
    },
  };
}

async function firstRun(options: ProcessOptions): Promise<Run> {
  const deadline = performance.now() + (options.retryFor ?? 0);
  for (;;) {
    const current = run(options);
    try {
      await current.ready;
      return current;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await delay(restartAfter);
    }
  }
}

interface Run {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  /** Resolves with the way in which the process has ended. */
  readonly ended: Promise<string>;
}

function run({ name, args, env, logFile, onMessage }: ProcessOptions): Run {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', log, 'pipe', 'ipc'],
    detached: true,
  });
  closeSync(log);
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-2_000);
    appendFile(logFile, chunk, () => {});
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  child.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'ready' in message) resolve();
    onMessage?.(message);
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    const how = signal ? `signal ${signal}` : `exit code ${code}`;
    const printed = errors.trim();
    const isUnusable = code === unusableSetting && printed !== '';
    reject(
      isUnusable
        ? new UnusableSettingError(printed)
        : new Error(`${name} did not start (${how}): ${printed}`),
    );
    return how;
  });
  return { child, ready, ended };
}
