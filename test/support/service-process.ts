import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceFailure } from './service-failure.ts';

/** One of the product's programs, in a process of its own. Disposing stops it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The message that it sent to its supervisor when it was ready, such as its ports. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Its output so far; the last megabyte of it. */
  output(): string;
  /** Ends it with SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Kills it, as a power cut would. */
  kill(): Promise<void>;
}

export type Program = 'agent' | 'alerts' | 'api' | 'gateway' | 'serve';

/** The roles of the server's programs, as the scripts of package.json name them. */
const roles = { gateway: 'gateway,projector', api: 'api', alerts: 'alerts' } as const;

/**
 * The arguments of `node` that run a program with an environment: its file, and the roles of the server. Programs run from the
 * folder `BUNDLED_PROGRAMS`, if there is one, except those that may start the embedded PostgreSQL.
 */
export function programArgs(
  name: Program | 'admin' | 'demo',
  env: Readonly<Record<string, string>> = {},
): string[] {
  const bundles = process.env['BUNDLED_PROGRAMS'];
  const source = (folder: string) => join(import.meta.dirname, '../../packages', folder, 'src/main.ts');
  const file = (folder: string) => (bundles ? join(bundles, `${folder}.mjs`) : source(folder));
  const hasDatabase = Boolean(env['DATABASE_URL'] ?? env['DATABASE_URL_FILE']);
  if (name === 'serve') return [hasDatabase ? file('server') : source('server')];
  if (name === 'demo') return [source('demo')];
  if (name === 'agent' || name === 'admin') return [file(name)];
  return [file('server'), '--role', roles[name]];
}

/** Starts a program, and waits until it is ready. */
export function startService(
  program: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onMessage?: (message: unknown) => void,
): Promise<ServiceProcess> {
  const all = [...programArgs(program, env), ...args];
  return startProcess(program, all, env, onMessage);
}

/**
 * Starts `node` with arguments and waits until it is ready; rejects with its output when it ends before that.
 *
 * A program that then ends although the test did not end it, that does not catch an exception, or that logs a
 * fatal or a programming error, is an unhandled rejection of this process: the test run fails.
 */
export async function startProcess(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onMessage: (message: unknown) => void = () => {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const shown = 20_000;
  let failed: string | undefined;
  let isEnding = false;
  const collect = (chunk: Buffer) => {
    output = (output + chunk).slice(-1e6);
    failed ??= serviceFailure(output.slice(-shown - chunk.length), {
      code: null,
      signal: null,
      isExpected: true,
    });
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const closed = once(child, 'close');
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve(message.ready);
      onMessage(message);
    });
    closed.then(([code, signal]) =>
      reject(new Error(`${name} ended (${code ?? signal}): ${output.slice(-shown)}`)),
    );
  });
  const end = async (signal: NodeJS.Signals) => {
    isEnding = true;
    child.kill(signal);
    await closed;
  };
  const service = { child, ready: await ready };
  void closed.then(([code, signal]) => {
    const isExpected = isEnding || child.killed;
    failed ??= serviceFailure(output, { code, signal, isExpected });
    if (failed !== undefined) throw new Error(`${name} ${failed}: ${output.slice(-shown)}`);
  });
  return {
    ...service,
    output: () => output,
    stop: async () => {
      await end('SIGTERM');
      return child.exitCode;
    },
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

/**
 * Resolves when a program of the server answers that it is ready. It starts without the database if that does not answer in
 * time, as on a busy machine.
 */
export async function untilReady(service: ServiceProcess): Promise<void> {
  const page = `http://127.0.0.1:${portOf(service, 'metricsPort')}/ready`;
  while (!(await (await fetch(page)).text()).includes('"status":"ok"')) await delay(50);
}

/** The port of that name in what a program reported when it was ready. */
export function portOf({ ready }: ServiceProcess, name: string): number {
  const port = ready[name];
  if (typeof port === 'number') return port;
  throw new Error(`a program without ${name} when ready: ${JSON.stringify(ready)}`);
}

function isReady(message: unknown): message is { ready: Record<string, unknown> } {
  return typeof message === 'object' && message !== null && 'ready' in message;
}
